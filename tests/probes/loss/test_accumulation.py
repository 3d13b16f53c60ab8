"""An accumulated step is compared with the same rows in one batch."""

import pytest
from torch import nn
from torch.nn.functional import cross_entropy

from diagnose import Severity
from diagnose.engine.engine import installed
from probes.facts.loss.types import AccumulationError
from probes.healthy import healthy
from probes.loss.accumulation_changes_gradient import accumulation_changes_gradient
from probes.subjects.classifier import compute_loss
from tests.probes.loss.support import SOUND, looked, stock
from tests.support.hf_trainers import traces
from tests.support.small_runs import trainer as own_trainer
from tests.support.state_picture import picture


def fact(name, facts):
    return installed().context(facts).get(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOUND)
def test_the_stock_trainer_multiplies_by_its_accumulation(tmp_path, name):
    (finding,) = [f for f in looked({"trainer": stock(tmp_path, name)}).findings if f.severity is Severity.ERROR]
    assert finding.probe == "LOS013" and "is 4.00 times that of the same rows in one batch" in finding.message
    assert "accepts_loss_kwargs = False" in finding.fix


def test_a_batch_of_two_is_collated_anew(tmp_path):
    trainer = stock(tmp_path, "mt5", per_device_train_batch_size=2)
    (finding,) = [f for f in looked({"trainer": trainer}).findings if f.severity is Severity.ERROR]
    assert finding.probe == "LOS013" and "is 4.00 times" in finding.message


def test_its_mended_form_is_a_mean_of_means(tmp_path):
    (finding,) = looked({"trainer": stock(tmp_path, "e2e", kwargs=False)}).findings
    assert (finding.probe, finding.severity) == ("LOS013", "note") and "mean of means" in finding.message


@pytest.mark.parametrize("name", ["whisper+ctc", "e2e+ctc", "hybrid", "mt5"])
def test_our_own_trainer_is_exact(tmp_path, name):
    trainer = own_trainer(name, tmp_path, rows=8, batch_size=4, gradient_accumulation_steps=4)
    facts = {"trainer": trainer, "labels_of": trainer.bundle.labels_of}
    assert fact("accumulation", facts).error < 1e-4
    assert not looked(facts).findings


@pytest.mark.slow
def test_nothing_is_left_in_the_trainer(tmp_path):
    trainer = stock(tmp_path, "mt5")
    before, model = traces(trainer), picture(trainer.model)
    looked({"trainer": trainer})
    assert traces(trainer) == before and picture(trainer.model) == model
    hooks = [parameter._post_accumulate_grad_hooks for parameter in trainer.model.parameters()]
    assert hooks == [None] * len(hooks)


def test_nothing_is_left_in_plain_facts():
    facts = accumulating(lambda loss, count: loss / count)
    before = picture(facts["model"], facts["optimizer"])
    looked(facts)
    assert picture(facts["model"], facts["optimizer"]) == before


def accumulating(scale, zero_first=False, clip=0.0, step_each=False):
    facts = healthy("classifier")
    model, optimizer = facts["model"], facts["optimizer"]

    def accumulated_step(batches):
        model.train()
        for batch in batches:
            if zero_first:
                optimizer.zero_grad()
            scale(compute_loss(model, batch), len(batches)).backward()
            if step_each:
                optimizer.step()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        optimizer.zero_grad()

    return facts | {"accumulated_step": accumulated_step}


def test_clipping_dropout_and_clearing_do_not_hide_a_right_step():
    assert fact("accumulation", accumulating(lambda loss, count: loss / count, clip=1e-3)).error < 1e-3


WRONG = {
    "4.00 times": {"scale": lambda loss, count: loss},
    "0.25 times": {"scale": lambda loss, count: loss / count**2},
    "only the last of": {"scale": lambda loss, count: loss / count, "zero_first": True},
    "the optimizer steps 5 times": {"scale": lambda loss, count: loss / count, "step_each": True},
}


@pytest.mark.parametrize(("said", "how"), WRONG.items(), ids=WRONG)
def test_wrong_steps_are_told_apart(said, how):
    (finding,) = [f for f in looked(accumulating(**how)).findings if f.probe == "LOS013"]
    assert finding.severity is Severity.ERROR and said in finding.message


@pytest.mark.parametrize(("configured", "severities"), [(None, ["note"]), (8, []), (2, ["error"])])
def test_a_fixed_divisor_is_right_where_the_run_accumulates_as_many(configured, severities):
    facts = accumulating(lambda loss, count: loss / 8)
    if configured:
        facts["training_arguments"] = {"gradient_accumulation_steps": configured, "per_device_train_batch_size": 4}
    found = [f for f in looked(facts).findings if f.probe == "LOS013"]
    assert [f.severity for f in found] == severities


def test_a_mean_over_batches_of_sums_is_a_note():
    facts = healthy("classifier")

    def compute(model, batch):
        return cross_entropy(model(batch[0]), batch[1], reduction="sum")

    def accumulated_step(batches):
        for batch in batches:
            (compute(facts["model"], batch) / len(batches)).backward()

    facts |= {"compute_loss": compute, "accumulated_step": accumulated_step}
    assert {(f.probe, f.severity) for f in looked(facts).findings} == {("LOS011", "note"), ("LOS013", "note")}


def test_a_step_in_another_direction_is_a_warning():
    seen = AccumulationError(4, 0.9, 0.5, 0.6, means_error=0.9, means_ratio=0.5, means_cosine=0.6, last_cosine=0.2)
    (finding,) = accumulation_changes_gradient(seen)
    assert finding.severity is Severity.WARNING

"""Learning a few rows by heart: which rows, which floors, what is left behind, and subjects that only look ill."""

import math

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from diagnose.engine.context import FactError
from diagnose.engine.engine import installed
from probes.facts.core.numbers import unigram_entropy
from probes.facts.core.optimizers import PATIENCE, RateControl
from probes.facts.core.step_setup import labels_of_batch
from probes.facts.overfit.entropy_floors import prefix_entropy
from probes.facts.overfit.relabeled_rows import rows_with_changed_labels
from probes.facts.overfit.stepper import first_rate, groups_of
from probes.facts.overfit.types import OverfitResult
from probes.healthy import NAMES, healthy
from tests.support.state_picture import picture


def curve(**facts):
    return installed().context(facts).get("overfit_curve")


@pytest.mark.parametrize("name", NAMES)
def test_a_healthy_subject_learns_from_its_input_and_is_left_as_it_was(name):
    facts = healthy(name)
    before = picture(facts["model"], facts["optimizer"])
    run = curve(**facts)
    assert picture(facts["model"], facts["optimizer"]) == before
    assert run.verdict == "learns from its input" and run.accuracy == 1.0 and run.swapped_accuracy < 1.0
    assert run.target_agreement == 1.0 and not run.relabelled and run.updates == len(run.curve)
    assert run.final < run.first and run.prefix_entropy <= run.unigram <= run.uniform


def test_floors_are_those_of_the_labels():
    assert unigram_entropy([[1, 2], [1, 3]]) == pytest.approx(-0.5 * math.log(0.5) - 0.5 * math.log(0.25))
    assert prefix_entropy([[1, 2], [1, 3]]) == pytest.approx(2 * math.log(2) / 4)  # they part at the second label alone
    assert prefix_entropy([[1], [2], [3]]) == unigram_entropy([[1], [2], [3]]) == pytest.approx(math.log(3))
    assert prefix_entropy([[1, 2, 3], [1, 2]]) == 0.0 and prefix_entropy([]) is None


@pytest.mark.parametrize(
    "batch",
    [
        lambda x, y: (x[:1].repeat(4, 1), y[:1].repeat(4)),
        lambda x, y: (x, y * 0),
    ],
    ids=["one row four times", "one label"],
)
def test_where_there_is_nothing_to_tell_apart_the_whole_batch_is_learnt(batch):
    facts = healthy("classifier")
    x, _ = next(iter(facts["train_batches"]))
    run = curve(**{**facts, "train_batches": [batch(x, torch.arange(len(x)) % 4)]})
    assert run.learnt and run.uses_input is None and run.where == "batch 0"


def test_labels_that_are_all_ignored_cannot_be_learnt():
    facts = healthy("classifier")
    x, y = next(iter(facts["train_batches"]))
    with pytest.raises(FactError, match="all labels are -100"):
        curve(**{**facts, "train_batches": [(x, y * 0 - 100)]})


def test_rows_are_taken_from_a_later_batch_where_the_first_has_one_label():
    facts = healthy("classifier")
    x, y = next(iter(facts["train_batches"]))
    assert curve(**{**facts, "train_batches": [(x, y * 0), (x, y)]}).where.startswith("batch 1, rows")


def test_batches_of_one_row_are_learnt_together():
    facts = healthy("hybrid")
    facts["train_batches"] = [facts["collate"]([facts["train_dataset"][number]]) for number in (0, 7, 15, 23)]
    run = curve(**facts)
    assert run.verdict == "learns from its input" and run.where == "batches 0, 1, 2, row 0 of each"


def test_the_optimisers_groups_keep_their_relative_rates_and_strangers_are_left_out():
    model, other = nn.Linear(4, 4), nn.Linear(4, 4)
    groups = [{"params": [model.weight], "lr": 1e-5}, {"params": [model.bias, *other.parameters()], "lr": 1e-3}]
    found = groups_of(model, torch.optim.AdamW(groups))
    assert [group.share for group in found] == pytest.approx([0.01, 1.0])
    assert [len(group.weights) for group in found] == [1, 1]
    assert not groups_of(model, torch.optim.AdamW(other.parameters()))


def test_a_wider_model_learns_at_a_lower_rate():
    rates = [first_rate(groups_of(nn.Linear(width, width))) for width in (8, 64, 512)]
    assert rates[0] == 0.01 and rates[1] == pytest.approx(8 * rates[2])


def test_the_pace_goes_back_after_a_leap_and_stops_in_the_end():
    pace = RateControl(1.0)
    assert pace.advise(5.0, 5.0) == "save" and pace.advise(4.0, 5.0) == "save"
    assert pace.advise(float("nan"), 5.0) == "back" and pace.rate == 0.25
    advice = [pace.advise(4.0, 5.0) for _ in range(100)]
    assert "stop" in advice and pace.rate < 0.1
    pace.resume()
    assert pace.rate == 0.25 and "stop" not in [pace.advise(4.0, 5.0) for _ in range(PATIENCE)]


def test_the_rate_rises_where_the_loss_creeps_and_not_where_it_stands():
    creeping, standing = RateControl(1.0), RateControl(1.0)
    for number in range(PATIENCE + 1):
        creeping.advise(5.0 - 0.01 * number, 5.0)
        standing.advise(5.0 + 0.01 * (number % 2), 5.0)
    assert creeping.rate == 2.0 and standing.rate == 0.5


def test_labels_that_follow_their_inputs_may_be_drawn_anew():
    one, other = torch.zeros(2, 3), torch.ones(2, 3)
    first, second = torch.tensor([1, 2]), torch.tensor([1, 3])
    assert rows_with_changed_labels((one, first), (one, second), labels_of_batch) == 1
    assert rows_with_changed_labels((one, first), (other, second), labels_of_batch) == 0
    answers = [{"input_ids": one, "start_positions": first, "end_positions": end} for end in (first, second)]
    assert rows_with_changed_labels(answers[0], answers[1], labels_of_batch) == 1


def mt5_with(loss):
    return {**healthy("mt5"), "compute_loss": loss}


def scored(model, batch, **settings):
    return cross_entropy(model(**batch).logits.flatten(0, 1), batch["labels"].flatten(), **settings)


@pytest.mark.parametrize(
    "loss",
    [
        lambda model, batch: scored(model, batch, label_smoothing=0.1),
        lambda model, batch: scored(model, batch, reduction="sum"),
        lambda model, batch: scored(model, batch) - 7.0,
    ],
    ids=["smoothed", "summed", "below zero"],
)
def test_a_loss_that_cannot_reach_zero_is_no_alarm(loss):
    run = curve(**mt5_with(loss))
    assert run.verdict == "learns from its input" and run.accuracy == 1.0 and not run.relabelled


def test_a_loss_of_another_kind_is_judged_by_its_fall_and_its_input():
    torch.manual_seed(0)
    x = torch.randn(16, 6)
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
    y = x.sum(1, keepdim=True) + 3
    facts = {"compute_loss": lambda model, batch: (model(batch[0]) - batch[1]).square().mean()}
    assert curve(model=model, train_batches=[(x, y)], **facts).verdict == "learns from its input"


def test_a_loss_that_still_falls_is_no_verdict_and_no_alarm():
    run = OverfitResult("batch 0", 3, (5.0, 4.0), 1.0, "still falling", 0.01, first=5.0, final=4.0, loss_fell=True)
    assert run.verdict == "learns, and has not finished"
    with pytest.raises(FactError, match="has not finished: still falling; 2 updates, loss 5 → 4"):
        installed().context({"overfit_curve": run}).get("overfit_verdict")


def test_as_many_labels_as_frames_are_still_labels():
    """Scores of the decoder and of CTC have one shape then: which is which is told by what they say."""
    facts = healthy("hybrid")
    model, collate = facts["model"], facts["collate"]
    model.head = nn.Linear(model.head.in_features, model.ctc.out_features)

    def padded(items):
        batch = collate(items)
        frames = (batch["feats"].shape[1] + 1) // 2
        return {**batch, "toks": nn.functional.pad(batch["toks"], (0, frames - batch["toks"].shape[1]), value=-100)}

    batch = padded([facts["train_dataset"][number] for number in range(4)])
    run = curve(model=model, train_batches=[batch], labels_of=facts["labels_of"])
    assert run.ctc is not None and run.tokens > 0
    assert run.ended == "learnt" and run.accuracy == 1.0 and run.uses_input

"""The loss stage is silent on healthy runs of every kind."""

import pytest
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, mse_loss, nll_loss, one_hot

from diagnose import Severity
from diagnose.engine import pass_counter
from diagnose.engine.engine import installed
from probes.faults.kit.loss_changes import with_loss
from probes.healthy import NAMES, healthy
from tests.probes.loss.support import SOUND, alarms, looked, stock
from tests.support.hf_trainers import arguments


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.bench) for seed in range(1, 10))])
def test_a_healthy_subject_is_left_alone(name, seed):
    report = looked(healthy(name, seed))
    assert not report.findings
    assert {o.status for o in report.outcomes} <= {"passed", "skipped"}


def summed(scores, labels):
    return cross_entropy(scores, labels, reduction="sum")


LOSSES = {
    "smoothed": lambda scores, labels: cross_entropy(scores, labels, label_smoothing=0.2),
    "weighted": lambda scores, labels: cross_entropy(scores, labels, weight=torch.arange(1.0, 6.0)),
    "nll": lambda scores, labels: nll_loss(scores.log_softmax(-1), labels),
    "several classes at once": lambda scores, labels: binary_cross_entropy_with_logits(
        scores, one_hot(labels, 5).float()
    ),
    "regression": lambda scores, labels: mse_loss(scores[:, 0], labels.float()),
    "sum": summed,
    "focal": lambda scores, labels: (
        (1 - scores.softmax(-1).gather(1, labels[:, None])[:, 0]) ** 2 * cross_entropy(scores, labels, reduction="none")
    ).mean(),
    "penalised": lambda scores, labels: cross_entropy(scores, labels) + 0.1 * scores.square().mean(),
    "log-probabilities": lambda scores, labels: cross_entropy(scores.log_softmax(-1), labels),
    "contrastive": lambda scores, labels: cross_entropy(scores @ scores.T, torch.arange(len(scores))),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_losses_of_other_kinds_are_left_alone(loss):
    facts = with_loss(healthy("classifier"), loss)
    found = [finding for finding in looked(facts).findings if finding.severity is not Severity.NOTE]
    assert [f.probe for f in found if loss is not LOSSES["contrastive"]] == []
    assert {f.probe for f in found} <= {"LOS006"}  # a contrastive loss knows no labels, and says so


@pytest.mark.parametrize("kind", ["pairs", "triplets"])
def test_a_model_that_runs_several_times_is_left_alone(kind):
    torch.manual_seed(0)

    def compute(model, batch):
        one, other = model(batch["one"]), model(batch["other"])
        if kind == "triplets":
            return nn.functional.triplet_margin_loss(one, other, model(batch["third"]))
        return cross_entropy(one @ other.T, torch.arange(len(one)))

    batches = [{name: torch.randn(8, 12) for name in ("one", "other", "third")} for _ in range(2)]
    assert not alarms({"model": nn.Linear(12, 6), "train_batches": batches, "compute_loss": compute})


def test_a_language_model_whose_labels_shift_inside_is_left_alone(tmp_path):
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer

    model = GPT2LMHeadModel(GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=2))
    rows = [{"input_ids": torch.randint(5, 90, (number % 5 + 6,))} for number in range(40)]

    def collate(items):
        ids = nn.utils.rnn.pad_sequence([item["input_ids"] for item in items], batch_first=True)
        return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": ids.masked_fill(ids == 0, -100)}

    args = arguments(tmp_path, gradient_accumulation_steps=4)
    assert not alarms({"trainer": Trainer(model=model, args=args, train_dataset=rows, data_collator=collate)})


def test_a_sum_is_a_note():
    (finding,) = looked(with_loss(healthy("classifier"), summed)).findings
    assert (finding.probe, finding.severity) == ("LOS011", "note")


def test_a_ctc_model_with_summed_loss_is_left_alone():
    from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

    facts = healthy("e2e")
    encoder = facts["model"].encoder.config.to_dict()
    encoder |= {"vocab_size": 320, "pad_token_id": 0}
    for name in ("model_type", "architectures", "dtype"):
        encoder.pop(name, None)
    facts["model"] = Wav2Vec2ForCTC(Wav2Vec2Config(**encoder))
    facts["optimizer"] = torch.optim.AdamW(facts["model"].parameters(), lr=1e-3)
    report = looked(facts)
    assert {(f.probe, f.severity) for f in report.findings} == {("LOS011", "note")}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOUND)
def test_a_stock_trainer_without_accumulation_is_left_alone(tmp_path, name):
    assert not alarms({"trainer": stock(tmp_path, name, steps=1)})


def test_label_smoothing_in_a_trainer_is_left_alone(tmp_path):
    trainer = stock(tmp_path, "whisper", steps=1, label_smoothing_factor=0.1)
    collate = trainer.data_collator

    def with_inputs(items):
        batch = collate(items)
        return batch | {"decoder_input_ids": trainer.model.prepare_decoder_input_ids_from_labels(batch["labels"])}

    trainer.data_collator = with_inputs
    assert not alarms({"trainer": trainer})


class Zeroed(nn.Module):
    """A head that starts at zero follows nothing yet."""

    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(12, 24), nn.Linear(24, 5)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


def test_a_head_that_starts_at_zero_is_left_alone():
    facts = healthy("classifier") | {"model": Zeroed()}
    facts.pop("optimizer")
    assert not alarms(facts)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["whisper", "mt5"])
def test_weights_in_bfloat16_are_left_alone(name):
    facts = healthy(name)
    facts["model"].to(torch.bfloat16)

    def compute(model, batch):
        halved = {key: value.bfloat16() if value.is_floating_point() else value for key, value in batch.items()}
        return model(**halved).loss

    assert not alarms(facts | {"compute_loss": compute})


@pytest.mark.parametrize("name", NAMES)
def test_the_stage_keeps_to_its_budget(name):
    """Six passes and a sixth beside the first step and its second look, which belong to the gradients."""
    facts = healthy(name)
    context = installed().context(facts | {"accumulated_step": accumulated_mean(facts)})
    context.get("gradient_reach")
    before = pass_counter.passes()
    for one in ("perturbed_losses", "accumulation", *(("extreme_batches",) if name != "classifier" else ())):
        context.get(one)
    assert pass_counter.passes() - before <= 6.17


def accumulated_mean(facts):
    from probes.faults.kit.forward_changes import usual_loss

    def accumulated_step(batches):
        for batch in batches:
            (usual_loss(facts)(facts["model"], batch) / len(batches)).backward()

    return accumulated_step

"""The loss stage: silent on healthy runs of every kind, exact on what it names, and nothing left behind."""

import random

import pytest
import torch
from torch import nn
from torch.nn.functional import (
    binary_cross_entropy_with_logits,
    cross_entropy,
    ctc_loss,
    mse_loss,
    nll_loss,
    one_hot,
)
from transformers import Seq2SeqTrainer

import diagnose
from diagnose import Severity
from diagnose.engine import pass_counter
from diagnose.engine.engine import installed
from probes.facts.loss.types import AccumulationError, FramesUsed
from probes.faults.kit.loss_changes import after_head, with_loss
from probes.healthy import NAMES, healthy
from probes.loss.accumulation_changes_gradient import accumulation_changes_gradient
from probes.loss.encoder_frames_are_masked_out import encoder_frames_are_masked_out
from probes.subjects.classifier import compute_loss
from tests.probes.hf_trainer.test_hf_trainer import arguments, traces
from tests.support.small_runs import trainer as own_trainer
from tests.support.state_picture import picture

SOUND = ("whisper", "e2e", "mt5")
SEEDS = 40  # with a single look more, one of them was blamed


def looked(facts):
    return diagnose.preflight(select=["LOS*"], **facts)


def alarms(facts):
    return [(f.probe, f.severity) for f in looked(facts).findings if f.severity is not Severity.NOTE]


def fact(name, facts):
    return installed().context(facts).get(name)


def stock(folder, name="whisper", steps=4, kwargs=True, **more):
    facts = healthy(name)
    if not kwargs:
        facts["model"].accepts_loss_kwargs = False
    return Seq2SeqTrainer(
        model=facts["model"],
        args=arguments(folder, gradient_accumulation_steps=steps, **more),
        train_dataset=facts["train_dataset"],
        data_collator=facts["collate"],
        processing_class=facts["tokenizer"],
    )


# Healthy runs


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


# Accumulation


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
    facts = {"trainer": trainer, "labels_of": trainer.parts.labels_of}
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
    "only the last counts": {"scale": lambda loss, count: loss / count, "zero_first": True},
    "the optimiser steps 5 times": {"scale": lambda loss, count: loss / count, "step_each": True},
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


# Scores


@pytest.mark.parametrize(
    ("change", "like"), [(torch.sigmoid, "a sigmoid"), (torch.tanh, "a tanh"), (torch.relu, "a relu")]
)
def test_what_bounds_the_scores_is_told_by_its_ends(change, like):
    (finding,) = [f for f in looked(after_head(healthy("mt5"), change)).findings if f.probe == "LOS010"]
    assert f"as after {like}" in finding.message and finding.where == "lm_head"


def binary(forward):
    torch.manual_seed(0)
    x = torch.randn(32, 12)
    loss = nn.BCEWithLogitsLoss()
    return {
        "model": forward(nn.Linear(12, 1)),
        "train_batches": [(x[n : n + 8], (x[n : n + 8, 0] > 0).float()) for n in range(0, 32, 8)],
        "compute_loss": lambda model, batch: loss(model(batch[0]).squeeze(-1), batch[1]),
    }


def test_a_sigmoid_before_the_loss_that_has_its_own_is_found():
    assert not alarms(binary(nn.Sequential))
    (finding,) = looked(binary(lambda head: nn.Sequential(head, nn.Sigmoid()))).findings
    assert finding.probe == "LOS010" and "as after a sigmoid" in finding.message


@pytest.mark.slow
@pytest.mark.parametrize("name", ["whisper", "mt5"])
def test_weights_in_bfloat16_are_left_alone(name):
    facts = healthy(name)
    facts["model"].to(torch.bfloat16)

    def compute(model, batch):
        halved = {key: value.bfloat16() if value.is_floating_point() else value for key, value in batch.items()}
        return model(**halved).loss

    assert not alarms(facts | {"compute_loss": compute})


def test_probabilities_into_nll_are_told_as_such():
    facts = with_loss(healthy("classifier"), lambda scores, labels: nll_loss(scores.softmax(-1), labels))
    (finding,) = [f for f in looked(facts).findings if f.probe == "LOS009"]
    assert "is given probabilities" in finding.message


def test_parts_of_two_kinds_are_a_warning():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(12, 5)

        def forward(self, x, y):
            scores = self.head(x)
            att, ctc = cross_entropy(scores, y), cross_entropy(scores, y, reduction="sum")
            return {"loss": 0.5 * att + 0.5 * ctc, "logits": scores, "att_loss": att, "ctc_loss": ctc}

    facts = healthy("classifier")
    facts = {"model": Two(), "train_batches": facts["train_batches"]}
    (finding,) = looked(facts).findings
    assert finding.probe == "LOS011" and "ctc_loss is a sum and att_loss a mean" in finding.message


# Extremes and frames


def test_masking_that_is_longer_than_the_shortest_clips_is_found():
    facts = healthy("e2e")
    facts["model"].encoder.config.mask_time_length = 16
    (finding,) = looked(facts).findings
    assert finding.probe == "LOS015" and finding.where.startswith("the shortest rows")
    assert "mask_time_length" in finding.fix and "Traceback" in finding.measured["trace"]


def test_rows_that_are_not_finite_are_found():
    facts = healthy("hybrid")
    usual = facts["model"].forward

    def forward(feats, **named):
        output = usual(feats=feats, **named)
        long = feats.shape[1] > 57
        return {**output, "loss": output["loss"] * (float("inf") if long else 1.0)}

    facts["model"].forward = forward
    facts["train_batches"] = [facts["collate"]([facts["train_dataset"][number] for number in range(4)])]
    found = [f for f in looked(facts).findings if f.probe == "LOS015"]
    assert found and "Loss: inf" in found[0].message


@pytest.mark.parametrize(("heard", "severity"), [(100, "passes"), (99, "passes"), (95, "warning"), (50, "error")])
def test_one_frame_at_the_edge_is_let_pass(heard, severity):
    found = list(encoder_frames_are_masked_out((FramesUsed("encoder", "the decoder", 100, heard, "row 0"),)))
    assert [f.severity or Severity.ERROR for f in found] == ([] if severity == "passes" else [severity])
    assert all(f"mask_sum: {heard}" in f.message for f in found)


def test_an_encoder_of_which_one_place_is_read_is_left_alone(tmp_path):
    from transformers import BertConfig, BertForSequenceClassification, Trainer

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    model = BertForSequenceClassification(BertConfig(vocab_size=100, num_labels=3, **sizes))
    rows = [{"input_ids": torch.randint(5, 90, (number % 5 + 4,)), "labels": number % 3} for number in range(40)]

    def collate(items):
        ids = nn.utils.rnn.pad_sequence([item["input_ids"] for item in items], batch_first=True)
        labels = torch.tensor([item["labels"] for item in items])
        return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": labels}

    trainer = Trainer(model=model, args=arguments(tmp_path), train_dataset=rows, data_collator=collate)
    assert not alarms({"trainer": trainer})


# Cost


@pytest.mark.parametrize("name", NAMES)
def test_the_stage_keeps_to_its_budget(name):
    """Six passes beside the first step and its second look, which belong to the gradients."""
    facts = healthy(name)
    context = installed().context(facts | {"accumulated_step": accumulated_mean(facts)})
    context.get("gradient_reach")
    before = pass_counter.passes()
    for one in ("perturbed_losses", "accumulation", *(("extreme_batches",) if name != "classifier" else ())):
        context.get(one)
    assert pass_counter.passes() - before <= 6.001


def accumulated_mean(facts):
    from probes.faults.kit.forward_changes import usual_loss

    def accumulated_step(batches):
        for batch in batches:
            (usual_loss(facts)(facts["model"], batch) / len(batches)).backward()

    return accumulated_step


# What raises


class Raising(nn.Module):
    def __init__(self, how):
        super().__init__()
        self.head, self.how = nn.Linear(12, 5), how

    def forward(self, x):
        return self.how(self.head(x))


RAISES = {
    "make the sizes on both sides": lambda scores: scores @ torch.zeros(3, 3),
    "make the head as wide": lambda scores: scores[:, :2],
    "resize the embeddings": lambda scores: nn.functional.embedding(torch.tensor([9]), scores),
}


@pytest.mark.parametrize(("cure", "how"), RAISES.items(), ids=RAISES)
def test_what_raises_has_a_cure_of_its_own(cure, how):
    facts = healthy("classifier") | {"model": Raising(how)}
    facts["optimizer"] = torch.optim.SGD(facts["model"].parameters(), lr=0.1)
    (finding,) = looked(facts).findings
    assert finding.probe == "LOS003" and finding.fix.startswith(cure)
    assert "Traceback" in finding.measured["trace"]


def test_a_loss_that_wavers_by_itself_is_not_blamed_on_the_order_of_rows():
    facts = healthy("classifier")
    for seed in range(SEEDS):
        chance = random.Random(seed)
        facts["compute_loss"] = lambda model, batch, c=chance: compute_loss(model, batch) * (1 + c.gauss(0, 0.05))
        assert not diagnose.preflight(select=["LOS007"], **facts).findings, seed


class Acoustic(nn.Module):
    """Scores every second frame, for CTC."""

    def __init__(self):
        super().__init__()
        self.encoder, self.out = nn.Conv1d(6, 12, 3, stride=2, padding=1), nn.Linear(12, 9)

    def forward(self, feats):
        return self.out(self.encoder(feats.mT).relu().mT).log_softmax(-1)


def spoken(sign=1.0, named="lens"):
    """Rows of several lengths, the first of them padded; their lengths stand under a name of the user's own."""
    lens, texts = torch.tensor([8, 20, 14]), torch.tensor([[1, 2, -100], [3, 4, 5], [6, 7, -100]])
    feats = torch.randn(3, 20, 6) * (torch.arange(20) < lens[:, None])[..., None]
    batch = {"feats": feats, named: lens, "labels": texts, "text_lens": (texts >= 0).sum(1)}

    def ctc(model, batch):
        frames = (batch[named][: len(batch["feats"])] + 1) // 2 if named in batch else torch.full((3,), 10)
        scores = model(batch["feats"]).transpose(0, 1)
        return sign * ctc_loss(scores, batch["labels"].clamp(min=0), frames, batch["text_lens"], zero_infinity=True)

    return {"model": Acoustic(), "train_batches": [batch], "compute_loss": ctc}


def test_a_ctc_run_whose_lengths_have_a_name_of_their_own_is_silent():
    assert alarms(spoken()) == []


def test_the_sign_of_a_ctc_loss_is_read_from_its_slope():
    assert alarms(spoken(-0.5)) == [("LOS016", Severity.ERROR)]

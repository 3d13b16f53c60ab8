"""A Trainer's evaluation: compute_metrics gets what the Trainer would hand it, and chance by design is no alarm."""

import numpy as np
import pytest
import torch
from torch import nn
from transformers import EvalPrediction, Seq2SeqTrainer, Trainer, TrainingArguments

import diagnose
from probes.healthy import healthy
from tests.support.hf_trainers import arguments, traces
from tests.support.state_picture import picture
from tests.zoo.registry import setups

MOST = 40  # tokens of a label and more


def told(trainer, *probes):
    """The findings of these probes, and what was blocked; the Trainer is the same afterwards."""
    before, weights = traces(trainer), picture(trainer.model)
    report = diagnose.preflight(select=list(probes), trainer=trainer)
    assert traces(trainer) == before and picture(trainer.model) == weights
    assert not [outcome for outcome in report.outcomes if outcome.status in ("blocked", "crashed")]
    return [finding.probe for finding in report.findings if finding.severity != "note"]


def status(trainer, probe):
    (outcome,) = diagnose.preflight(select=[probe], trainer=trainer).outcomes
    return outcome.status


def zoo(name, seed=0):
    return setups()[name].facts(seed)["trainer"]


def decoding(tokenizer):
    """Replaces -100 in the labels only, as the official script for speech does."""

    def compute_metrics(pred):
        labels = np.where(pred.label_ids == -100, tokenizer.pad_token_id, pred.label_ids)
        texts = [tokenizer.batch_decode(ids, skip_special_tokens=True) for ids in (pred.predictions, labels)]
        return {"wer": float(np.mean([one != other for one, other in zip(*texts, strict=True)]))}

    return compute_metrics


def speaking(folder, padded_to, kind=Seq2SeqTrainer, metric=None):
    facts = healthy("mt5")
    facts["model"].generation_config.max_length = padded_to
    return kind(
        model=facts["model"],
        args=arguments(folder, predict_with_generate=True, generation_max_length=MOST),
        train_dataset=facts["train_dataset"],
        eval_dataset=facts["train_dataset"],
        data_collator=facts["collate"],
        processing_class=facts["tokenizer"],
        compute_metrics=metric or decoding(facts["tokenizer"]),
    )


def test_predictions_that_the_trainer_pads_with_the_pad_token_hold_no_minus_100(tmp_path):
    assert told(speaking(tmp_path, MOST), "GEN011", "GEN014", "GEN015") == []


def test_predictions_of_batches_of_different_width_hold_minus_100(tmp_path):
    assert told(speaking(tmp_path, 1), "GEN014") == ["GEN014"]


def test_without_a_trainer_nobody_pads_predictions_with_minus_100():
    facts = healthy("mt5")
    metric = decoding(facts["tokenizer"])
    facts["compute_metrics"] = lambda predictions, labels: metric(EvalPrediction(predictions, labels))
    report = diagnose.preflight(select=["GEN014", "GEN015"], **facts)
    assert not report.findings and {outcome.status for outcome in report.outcomes} == {"passed"}


class Answering(Seq2SeqTrainer):
    """As the trainer of the official scripts for question answering: it evaluates texts."""

    def evaluate(self, eval_dataset=None, ignore_keys=None, metric_key_prefix="eval", **more):
        self._gen_kwargs = {"max_length": MOST}
        compute, self.compute_metrics = self.compute_metrics, None
        loader = self.get_eval_dataloader(eval_dataset)
        output = self.evaluation_loop(loader, "Evaluation", metric_key_prefix=metric_key_prefix)
        self.compute_metrics = compute
        ids = np.where(output.predictions == -100, 0, output.predictions)
        return compute([{"text": text} for text in self.processing_class.batch_decode(ids)])


def count_texts(answers):
    return {"texts": len([answer["text"] for answer in answers])}


def test_an_evaluate_of_the_runs_own_hands_its_own_things_to_the_metric(tmp_path):
    trainer = speaking(tmp_path, MOST, Answering, count_texts)
    assert told(trainer, "GEN011", "GEN014", "GEN015") == []
    assert status(trainer, "GEN011") == "passed" and status(trainer, "GEN014") == "skipped"


def test_an_evaluate_of_the_runs_own_that_raises_is_told(tmp_path):
    trainer = speaking(tmp_path, MOST, Answering, lambda answers: {"first": answers[0]["score"]})
    assert told(trainer, "GEN011") == ["GEN011"]


class Lengthy(Seq2SeqTrainer):
    """Asks its own evaluation set for the lengths of its rows, which a part of that set cannot tell."""

    def get_eval_dataloader(self, eval_dataset=None):
        (self.eval_dataset if eval_dataset is None else eval_dataset).lengths()
        return super().get_eval_dataloader(eval_dataset)


class RowsWithLengths(list):
    def lengths(self):
        return [1.0] * len(self)


def test_a_loader_that_needs_an_attribute_of_its_dataset_is_not_blamed(tmp_path):
    trainer = speaking(tmp_path, MOST, Lengthy)
    trainer.eval_dataset = RowsWithLengths(trainer.eval_dataset)
    assert told(trainer, "GEN011", "GEN014", "GEN015") == [] and status(trainer, "GEN011") == "skipped"


def test_a_metric_of_a_causal_model_shifts_by_itself():
    trainer = zoo("next_words_trainer")
    assert told(trainer, "GEN014", "GEN015") == [] and status(trainer, "GEN015") == "passed"

    def unshifted(found):
        return {"accuracy": float((found.predictions == found.label_ids).mean())}

    trainer.compute_metrics = unshifted
    assert told(trainer, "GEN015") == ["GEN015"]


def test_ctc_scores_do_not_stand_beside_labels():
    trainer = zoo("ctc_speech_trainer")
    assert told(trainer, "GEN014", "GEN015") == [] and status(trainer, "GEN015") == "skipped"


def test_rows_sorted_by_class_are_taken_evenly():
    trainer = zoo("image_classes_trainer")
    assert told(trainer, "GEN014", "GEN015") == [] and status(trainer, "GEN015") == "passed"


def test_rows_that_differ_only_in_length_are_alike_for_a_metric_of_places():
    trainer = zoo("named_words_trainer")  # every row is tagged 1 0 2, and some have one more 0
    assert told(trainer, "GEN014", "GEN015") == [] and status(trainer, "GEN015") == "skipped"


@pytest.mark.parametrize("name", ["mae_trainer", "simmim_trainer", "masked_words_trainer"])
def test_masks_that_are_drawn_in_evaluation_are_no_alarm(name):
    assert told(zoo(name), "GEN011", "GEN013", "GEN019", "LAB003", "LAB024") == []


class Dropping(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(12, 5)

    def forward(self, x, labels):
        logits = nn.functional.dropout(self.body(x), 0.5, training=True)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def test_dropout_that_is_never_switched_off_is_an_alarm(tmp_path):
    items = [{"x": torch.randn(12), "labels": n % 5} for n in range(40)]
    settings = {"report_to": "none", "use_cpu": True, "max_steps": 10, "disable_tqdm": True}
    trainer = Trainer(Dropping(), TrainingArguments(str(tmp_path), **settings), train_dataset=items, eval_dataset=items)
    assert told(trainer, "GEN013") == ["GEN013"]


def translating(folder, **more):
    """A Trainer that nobody tells how long generated texts may be, with a model whose own limit is too short."""
    facts = healthy("mt5")
    facts["model"].generation_config.max_length = 4
    return Seq2SeqTrainer(
        model=facts["model"],
        args=arguments(folder, predict_with_generate=True, **more),
        train_dataset=facts["train_dataset"],
        eval_dataset=facts["train_dataset"],
        data_collator=facts["collate"],
        processing_class=facts["tokenizer"],
        compute_metrics=decoding(facts["tokenizer"]),
    )


def test_a_limit_is_not_judged_where_only_a_call_that_may_say_another_evaluates(tmp_path):
    trainer = translating(tmp_path, eval_strategy="no")
    assert told(trainer, "CFG009", "GEN004", "GEN005") == []
    assert status(trainer, "CFG009") == "skipped" and status(trainer, "GEN004") == "passed"


def test_a_limit_of_an_evaluation_in_training_is_judged_once_by_its_weight(tmp_path):
    trainer = translating(tmp_path, eval_strategy="steps", eval_steps=5)
    report = diagnose.preflight(select=["CFG009", "GEN004", "GEN005"], trainer=trainer, everything=True)
    found = {finding.probe: str(finding.severity) for finding in report.findings}
    assert found == {"CFG009": "error", "GEN004": "warning"}

"""The generation stage: quiet on what only looks ill, exact on what is, and nothing is left behind."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from transformers import Seq2SeqTrainer, Trainer, TrainingArguments

import diagnose
from diagnose.engine.engine import installed
from probes.facts.core.batch_rows import select_rows
from probes.facts.generation.metric_types import MetricTrial
from probes.facts.generation.types import (
    EvaluationPair,
    ForbiddenLabel,
    ForcedGeneration,
    FreeGeneration,
    GatheredLogits,
    GeneratedRow,
    SeedRepeats,
)
from probes.faults.kit.changes import by_row, with_targets
from probes.generation.evaluation_is_random import evaluation_is_random
from probes.generation.evaluation_keeps_all_logits import evaluation_keeps_all_logits
from probes.generation.label_cannot_be_generated import label_cannot_be_generated
from probes.generation.metric_penalizes_perfect_predictions import metric_penalizes_perfect_predictions
from probes.generation.output_ignores_input import output_ignores_input
from probes.generation.output_is_not_text import output_is_not_text
from probes.generation.output_never_ends import output_never_ends
from probes.generation.output_repeats_itself import output_repeats_itself
from probes.healthy import NAMES, healthy
from tests.support.hf_trainers import arguments, traces
from tests.support.state_picture import picture

SPEAKING = [name for name in NAMES if name != "classifier"]


def looked(report):
    return {outcome.probe: outcome.status for outcome in report.outcomes if outcome.probe.startswith("GEN")}


def quiet(report):
    assert not [(f.probe, f.where, f.message) for f in report.findings if f.severity != "note"]
    assert not [(o.probe, o.reason, o.trace) for o in report.outcomes if o.status in ("crashed", "blocked")]
    return looked(report)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_healthy_subjects_are_quiet(name, seed):
    torch.manual_seed(seed)
    status = quiet(diagnose.preflight(select=["GEN*"], **healthy(name, seed)))
    always = {"GEN011", "GEN012", "GEN013", "GEN014", "GEN015", "GEN018", "GEN019"}
    spoken = {"GEN001", "GEN002", "GEN003", "GEN004", "GEN005", "GEN016"} if name in SPEAKING else set()
    assert {probe for probe, state in status.items() if state == "passed"} >= always | spoken
    assert status["GEN008"] == "skipped"  # random weights say anything


@pytest.mark.bench
@pytest.mark.parametrize("name", NAMES)
def test_ten_seeds_are_quiet(name):
    for seed in range(10):
        torch.manual_seed(seed)
        quiet(diagnose.preflight(select=["GEN*"], **healthy(name, seed)))


@pytest.mark.parametrize("name", ["mt5", "hybrid"])
def test_nothing_is_left_behind(name, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    facts = healthy(name)
    before = picture(facts["model"], facts["optimizer"])
    diagnose.preflight(select=["GEN*"], **facts)
    assert picture(facts["model"], facts["optimizer"]) == before and not list(Path(tmp_path).iterdir())


def seq2seq(folder, name="mt5", metrics=None, trainer=Seq2SeqTrainer, **more):
    facts = healthy(name)
    given = {"predict_with_generate": True, "generation_max_length": 40, **more}
    return trainer(
        model=facts["model"],
        args=arguments(folder, **given),
        train_dataset=facts["train_dataset"],
        eval_dataset=facts["train_dataset"],
        data_collator=facts["collate"],
        processing_class=facts["tokenizer"],
        compute_metrics=metrics or (lambda found: facts["compute_metrics"](found.predictions, found.label_ids)),
    )


@pytest.mark.parametrize("name", ["mt5", "whisper"])
def test_a_stock_seq2seq_trainer_is_looked_at_whole_and_left_as_it_was(tmp_path, name):
    trainer = seq2seq(tmp_path, name)
    before, model = traces(trainer), picture(trainer.model)
    status = quiet(diagnose.preflight(select=["GEN*"], trainer=trainer))
    assert traces(trainer) == before and picture(trainer.model) == model
    passed = {probe for probe, state in status.items() if state == "passed"}
    assert passed >= {
        "GEN001",
        "GEN002",
        "GEN003",
        "GEN004",
        "GEN005",
        "GEN011",
        "GEN012",
        "GEN013",
        "GEN014",
        "GEN018",
    }


def test_a_trainers_metric_function_is_called_as_the_trainer_would(tmp_path):
    facts = healthy("mt5")

    def decoding(found):
        facts["tokenizer"].batch_decode(found.label_ids)
        return {"wer": 0.0}

    report = diagnose.preflight(select=["GEN*"], trainer=seq2seq(tmp_path, metrics=decoding))
    assert [root.probe for root in report.diagnosis] == ["GEN014"]
    assert "OverflowError" in report.diagnosis[0].finding.message


def test_without_generation_the_trainers_scores_are_judged_and_counted(tmp_path):
    def share(scores, found):
        scored = found.label_ids >= 0
        return {"accuracy": float((scores.argmax(-1) == found.label_ids)[scored].mean())}

    def of_a_tuple(found):  # the Trainer raises here itself: beside the scores it keeps the encoder's output
        return share(found.predictions, found)

    trainer = seq2seq(tmp_path, metrics=of_a_tuple, predict_with_generate=False)
    assert looked(diagnose.preflight(select=["GEN014"], trainer=trainer))["GEN014"] == "found"
    with pytest.raises(AttributeError, match="tuple"):
        trainer.evaluate()
    trainer = seq2seq(tmp_path, metrics=lambda found: share(found.predictions[0], found), predict_with_generate=False)
    status = looked(diagnose.preflight(select=["GEN*"], trainer=trainer))
    assert status["GEN001"] == "skipped" and status["GEN014"] == "passed" and status["GEN017"] == "passed"
    kept = installed().context({"trainer": trainer}).get("gathered_logits")
    assert kept.rows == 36 and kept.vocabulary == 320
    (finding,) = evaluation_keeps_all_logits(GatheredLogits(5000, 448, 51865, 4, 16 * 10**9))
    assert "464.7 GB" in finding.message and finding.severity is None


class Scored(nn.Module):
    """A classifier with the loss in its output, as the Trainer wants it."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 24), nn.Dropout(0.2), nn.Linear(24, 5))

    def forward(self, x, labels):
        logits = self.body(x)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def test_a_stock_trainer_of_a_plain_classifier_is_quiet(tmp_path):
    items = [{"x": torch.randn(12), "labels": n % 5} for n in range(40)]
    settings = {"report_to": "none", "use_cpu": True, "remove_unused_columns": False, "max_steps": 10}
    trainer = Trainer(
        Scored(),
        TrainingArguments(str(tmp_path), **settings),
        train_dataset=items,
        eval_dataset=items,
        compute_metrics=lambda found: {"accuracy": float((found.predictions.argmax(-1) == found.label_ids).mean())},
    )
    status = quiet(diagnose.preflight(select=["GEN*"], trainer=trainer))
    assert {status[f"GEN0{n}"] for n in (11, 12, 13, 14, 15, 17, 18, 19)} == {"passed"}


def test_a_model_that_could_generate_is_not_asked_to_where_nobody_says_that_the_run_generates():
    facts = {name: value for name, value in healthy("mt5").items() if name not in ("generate", "decode", "evaluate")}
    facts["model"].generation_config.max_length = 3  # the run's labels are longer
    status = quiet(diagnose.preflight(select=["GEN*"], **facts))
    assert {status[f"GEN00{n}"] for n in (1, 2, 3, 4, 5)} == {"skipped"} and status["GEN012"] == "skipped"


def test_beams_are_steered_like_one():
    facts = healthy("mt5")
    facts["model"].generation_config.num_beams = 3
    assert quiet(diagnose.preflight(select=["GEN*"], **facts))["GEN005"] == "passed"


@pytest.mark.parametrize(("rows", "severity"), [(9, None), (4, "warning"), (1, "note")])
def test_a_rule_that_few_rows_break_is_told_more_softly(rows, severity):
    broken = ForbiddenLabel("batch 0, row 0", 6, "(", 1, "SuppressTokensLogitsProcessor", "suppress_tokens", rows, 16)
    (finding,) = label_cannot_be_generated(ForcedGeneration((), forbidden=(broken,)))
    assert finding.severity == severity
    (finding,) = label_cannot_be_generated(
        ForcedGeneration((), forbidden=(replace(broken, rows=min(rows, 8), setting="no_repeat_ngram_size"),))
    )
    assert finding.severity == "note"


def test_an_end_token_said_twice_is_not_waited_for_twice():
    facts = with_targets(healthy("mt5"), lambda labels: by_row(labels, lambda ids: [*ids, ids[-1]]))
    assert quiet(diagnose.preflight(select=["GEN00*"], **facts))["GEN004"] == "passed"


def test_rows_of_any_batch():
    batch = {"x": torch.arange(12).reshape(4, 3), "n": 4, "texts": ["a", "b", "c", "d"]}
    cut = select_rows(batch, [0, 3], 4)
    assert cut["x"].tolist() == [[0, 1, 2], [9, 10, 11]] and cut["n"] == 4 and cut["texts"] == ["a", "d"]
    x, y = select_rows((torch.zeros(4, 2), torch.arange(4)), [1, 2], 4)
    assert x.shape == (2, 2) and y.tolist() == [1, 2]


def trial(perfect, swapped, clean=None, name="figure"):
    return MetricTrial("ids", 8, {name: perfect}, {name: perfect if clean is None else clean}, {name: swapped})


@pytest.mark.parametrize(
    ("figures", "alarm"),
    [
        ((0.0, 120.0), False),  # an error rate
        ((1.0, 0.2), False),  # a score as a share
        ((100.0, 3.0), False),  # a score in per cent
        ((1.0000001, 0.2), False),
        ((30.0, 120.0), True),
        ((0.86, 0.2), True),
        ((0.0, 1.0), False),  # nobody knows which way is up
        ((0.0, 1.0, 1.0, "accuracy"), True),
        ((5.0, 5.0), True),
        ((230.0, 100.0), False),  # a score without a known end
        ((float("nan"), 1.0), False),
        ((8.0, 0.0), False),  # a count of rows
        ((50.0, 0.0, 50.0, "exact"), True),
    ],
)
def test_which_figures_of_a_perfect_prediction_are_perfect(figures, alarm):
    assert bool(list(metric_penalizes_perfect_predictions(trial(*figures)))) is alarm


def said(*rows, ended=True):
    made = tuple(GeneratedRow(f"row {n}", ids, labels, ended=ended) for n, (ids, labels) in enumerate(rows))
    return FreeGeneration(made, limit=20, cut=not ended, special=frozenset({1}), names={9: "<0x03>"})


def test_short_and_repeated_answers_that_the_labels_have_as_well_are_no_alarm():
    labels = ((5, *[7] * 9, 1), (6, 8, 1))
    assert not list(output_repeats_itself(said((labels[0], labels[0]), (labels[1], labels[1]))))
    assert not list(output_ignores_input(said(((5, 1), (5, 1)), ((5, 1), (6, 1)))))
    assert not list(output_is_not_text(said(((5, 9, 6, 7, 1), (5, 9, 6, 7, 1)))))
    assert not list(output_never_ends(said(((5, 6, 1), (5, 6, 1)))))


def test_what_is_repeated_behind_a_text_that_finds_no_end_is_no_loop():
    labels = (2, 3, 4, 5, 6, 7, 1)
    for text, loops in (((2, 3, 4, 8), False), ((2, 3, 4, 5, 6, 7), False), ((2,), True), ((), True)):
        heard = said(((*text, *[9] * 12), labels), ended=False)
        assert bool(list(output_repeats_itself(heard))) is loops, text
    ended = GeneratedRow("row 1", labels, labels, ended=True)
    looping = said(((2, 3, 4, 8, *[9] * 12), labels), ended=False)
    assert list(output_repeats_itself(replace(looping, rows=(*looping.rows, ended))))


def test_what_differs_in_the_last_digits_or_measures_time_is_no_random_figure():
    figures = {"wer": 0.31, "loss": 2.0000001, "eval_runtime": 3.1}
    same = EvaluationPair(figures, figures | {"loss": 2.0, "eval_runtime": 2.2})
    assert not list(evaluation_is_random(SeedRepeats(evaluated=same)))
    (finding,) = evaluation_is_random(SeedRepeats(evaluated=EvaluationPair(figures, figures | {"wer": 0.33})))
    assert finding.where == "evaluate, wer"


def test_a_metric_of_texts_is_given_texts():
    facts = healthy("hybrid")

    def exact(predictions, labels):
        return {
            "exact": float(
                np.mean([one.strip() == other.strip() for one, other in zip(predictions, labels, strict=True)])
            )
        }

    report = diagnose.preflight(select=["GEN01[456]"], **{**facts, "compute_metrics": exact})
    assert {outcome.status for outcome in report.outcomes} == {"passed"}


def trained(steps=150):
    """A hybrid that has read its sentences until it knows something of them."""
    facts = healthy("hybrid")
    model, optimizer = facts["model"].train(), torch.optim.AdamW(facts["model"].parameters(), lr=3e-3)
    for _ in range(steps // 9):
        for batch in facts["train_batches"]:
            optimizer.zero_grad()
            model(**batch)["loss"].backward()
            optimizer.step()
    return facts


@pytest.mark.slow
def test_what_a_trained_model_says_is_judged():
    facts = trained()
    status = quiet(diagnose.preflight(select=["GEN*"], **facts))
    assert {status[f"GEN0{number:02}"] for number in range(6, 11)} == {"passed"}

    def deaf(model, batch):
        silence = {"feats": torch.zeros_like(batch["feats"]), "feat_lens": torch.full_like(batch["feat_lens"], 40)}
        return facts["generate"](model, {**batch, **silence})

    report = diagnose.preflight(select=["GEN*"], **{**facts, "generate": deaf})
    assert "GEN008" in {finding.probe for finding in report.findings}

"""Small real models, evaluated: what is written is what was said, and the figures follow from it."""

import csv
import json
from types import SimpleNamespace

import pytest
import torch

from trainer.collate.labels import pad_labels
from trainer.config import Config, load
from trainer.evaluation.baselines import CONSTANT, LEAD, trivial_answers
from trainer.evaluation.evaluate import evaluate, score_rows
from trainer.evaluation.predict import Prediction
from trainer.evaluation.score_table import print_scores
from trainer.evaluation.training_metrics import compute_metrics
from trainer.models.bundle import build
from trainer.paths import shipped_config

SMALL = ("training.generation_max_length=12", "training.batch_size=2", "model.random.hidden=16", "model.random.ffn=16")
CLIPS = [
    {"audio_path": f"wavs/{n}.wav", "duration": seconds, "transcript": f"review {n}", "translation": f"xem lại {n}"}
    for n, seconds in enumerate((0.6, 1.2, 0.9))
]
DOCUMENTS = [
    {"id": f"test.csv:{n}", "document": f"quan trọng là việc {n} . việc khác", "summary": f"việc {n}"}
    for n in (2, 3, 4)
]


class Rows(list):
    def lengths(self):
        return [item.get("duration", 1.0) for item in self]


def rows_for(kind):
    if kind == "mt5":
        return Rows(DOCUMENTS)
    generator = torch.Generator().manual_seed(0)
    return Rows(
        {**clip, "audio": torch.randn(int(16000 * clip["duration"]), generator=generator) / 10, "sample_rate": 16000}
        for clip in CLIPS
    )


@pytest.fixture(scope="module", params=["hybrid", "whisper", "mt5"])
def subject(request):
    config = load(shipped_config(f"demo_{request.param}"), SMALL).config
    rows = rows_for(request.param)
    texts = [
        item[name] for item in rows for name in ("transcript", "translation", "document", "summary") if name in item
    ]
    return SimpleNamespace(kind=request.param, config=config, bundle=build(config, texts), rows=rows)


@pytest.fixture(scope="module")
def scores(subject, tmp_path_factory):
    return evaluate(subject.bundle, subject.rows, subject.config, "small", tmp_path_factory.mktemp("results"))


def predictions(scores):
    with scores.predictions_path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_row_of_every_task_is_written_in_the_order_of_the_set(subject, scores):
    found = [(row["file"], row["task"], row["reference"]) for row in predictions(scores)]
    if subject.kind == "mt5":
        assert found == [(item["id"], "summarize", item["summary"]) for item in DOCUMENTS]
    else:
        first = [(clip["audio_path"], "transcribe", clip["transcript"]) for clip in CLIPS]
        assert found == first + [(clip["audio_path"], "translate", clip["translation"]) for clip in CLIPS]


def test_a_row_says_the_same_alone_and_among_others(subject, scores):
    alone = subject.config.model_copy(update={"training": subject.config.training.model_copy(update={"batch_size": 1})})
    other = evaluate(subject.bundle, subject.rows, alone, "alone", scores.metrics_path.parent)
    assert predictions(other) == predictions(scores)
    assert (scores.batch_size, other.batch_size) == (2, 1)


def test_the_figures_follow_from_the_predictions(scores):
    rows = [Prediction(**row) for row in predictions(scores)]
    content = json.loads(scores.metrics_path.read_text(encoding="utf-8"))
    assert score_rows(rows, Config().evaluation.targets.model_dump()) == scores.metrics
    for score in scores.metrics:
        assert content[score.name] == pytest.approx(score.value, abs=1e-4) == scores.value(score.name)
        assert content["details"][score.name]["met"] is score.met
        assert content["details"][score.name]["rows"] == 3
        assert content["details"][score.name]["baseline"] == score.baseline is not None


def test_latency_is_that_of_one_row(subject, scores):
    assert 0 < scores.latency_seconds < 10
    if subject.kind != "mt5":
        assert scores.real_time_factor == pytest.approx(scores.latency_seconds / 0.9)


def test_the_model_is_left_as_it_was(subject, tmp_path):
    model = subject.bundle.model
    model.train()
    frozen = next(model.children())
    frozen.eval()
    evaluate(subject.bundle, subject.rows, subject.config, "again", tmp_path)
    assert model.training and not frozen.training
    assert all(parameter.grad is None for parameter in model.parameters())


def test_the_table_shows_figure_target_and_verdict(scores, capsys):
    print_scores([scores])
    out = capsys.readouterr().out
    for score in scores.metrics:
        line = next(line for line in out.splitlines() if line.strip().startswith(score.label))
        assert f"{score.value:.2f}" in line
        assert {True: "met", False: "missed", None: "–"}[score.met] in line and f"{score.baseline:.2f}" in line
    assert str(scores.metrics_path) in out and "\x1b" not in out


def test_labels_given_back_as_predictions_are_perfect(subject):
    labels = subject.bundle.labels_of(subject.bundle.collate(subject.rows)).numpy()
    figures = compute_metrics(subject.bundle)(SimpleNamespace(predictions=labels, label_ids=labels))
    errors = {"wer", "cer"} & set(figures)
    assert all(figures[name] == 0 for name in errors)
    assert all(figures[name] == pytest.approx(100) for name in set(figures) - errors - {"bleu"})


def test_foreign_and_ragged_ids_are_tolerated(subject):
    labels = subject.bundle.labels_of(subject.bundle.collate(subject.rows)).numpy()
    invalid = [[10**6, -100, -5][: 1 + place % 3] for place in range(len(labels))]
    figures = compute_metrics(subject.bundle)(SimpleNamespace(predictions=(invalid, None), label_ids=labels))
    assert all(value >= 0 for value in figures.values())
    assert figures


def test_ragged_rows_are_padded():
    assert pad_labels([[1, 2], [3], []]).tolist() == [[1, 2], [3, -100], [-100, -100]]
    assert pad_labels([]).shape == (0, 0)


def test_targets_are_met_only_when_all_are(scores):
    assert scores.met is False
    assert scores.value("nothing") is None


def test_the_trivial_answer_is_the_most_frequent_reference_or_the_lead_of_each_document():
    assert trivial_answers(["a b", "c", "c"], ["", "", ""]) == (CONSTANT, ["c"] * 3)
    assert trivial_answers(["a b", "c d e"], ["one two three", "four five six"]) == (LEAD, ["one two", "four five"])
    assert trivial_answers([], []) == (CONSTANT, [])


def test_the_baseline_is_scored_as_the_predictions_are(tmp_path):
    rows = [Prediction(str(n), "transcribe", text, "x") for n, text in enumerate(["một hai", "ba bốn", "ba bốn"])]
    wer = score_rows(rows, {})[0]
    assert wer.baseline == pytest.approx(100 * 2 / 6) and wer.value == 100 and wer.baseline_name == CONSTANT
    lead = score_rows([Prediction("a", "summarize", "tin dài", "x")], {}, {"a": "tin dài hôm nay"})
    assert [score.baseline for score in lead] == [100, 100, 100] and lead[0].baseline_name == LEAD

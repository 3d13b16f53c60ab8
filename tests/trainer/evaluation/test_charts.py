"""The pictures are drawn from what runs and evaluations leave on disk."""

import json

import pytest
from matplotlib.image import imread

from diagnose.common.errors import InputError
from trainer.evaluation.charts import comparison_figure, draw, loss_figure
from trainer.evaluation.run_history import EvaluationResult, RunHistory, read_result, read_run

HISTORY = [
    {"step": 10, "loss": 4.0, "learning_rate": 1e-3},
    {"step": 20, "loss": 2.0},
    {"step": 20, "eval_loss": 2.5, "eval_wer": 80.0},
    {"step": 30, "loss": float("nan")},
]
RUN = RunHistory(
    "hybrid", ((10, 4.0), (20, 2.0)), ((20, 2.5),), {"eval_wer": ((20, 80.0),), "learning_rate": ((10, 1e-3),)}
)
SCORES = [
    EvaluationResult("a", {"wer": 12.0, "cer": 5.0, "bleu": 30.0, "chrf": 60.0}, {"bleu": "> 25", "chrf": "> 50"}),
    EvaluationResult("b", {"bleu": 20.0, "chrf": 40.0}, {"bleu": "> 25", "chrf": "> 45"}),
]


def save(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("metrics/x_metrics.json", "history"),
        ("trainer_state.json", "log_history"),
        ("checkpoint-20/trainer_state.json", "log_history"),
    ],
)
def test_the_history_is_found_wherever_a_run_keeps_it(tmp_path, place, key):
    save(tmp_path / "hybrid" / place, {key: HISTORY})
    assert read_run(tmp_path / "hybrid") == RUN


def test_the_newest_checkpoint_is_read(tmp_path):
    for step in (90, 100):
        save(tmp_path / f"checkpoint-{step}/trainer_state.json", {"log_history": [{"step": step, "loss": 1.0}]})
    assert read_run(tmp_path).training == ((100, 1.0),)


def test_a_step_logged_again_after_a_resume_counts_once(tmp_path):
    save(tmp_path / "trainer_state.json", {"log_history": [{"step": 1, "loss": 9.0}, {"step": 1, "loss": 8.0}]})
    assert read_run(tmp_path).training == ((1, 8.0),)


def test_a_folder_without_history_is_named(tmp_path):
    with pytest.raises(InputError, match="no loss in"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"), [("{", "cannot be read as JSON"), ("[]", "found list, expected an object")]
)
def test_a_spoilt_file_is_named(tmp_path, content, words):
    (tmp_path / "x_metrics.json").write_text(content)
    with pytest.raises(InputError, match=words):
        read_result(tmp_path / "x_metrics.json")


def test_a_result_keeps_its_figures(tmp_path):
    details = {"wer": {"target": "< 30"}, "cer": {"target": None}, "bleu": "odd"}
    path = save(tmp_path / "x_metrics.json", {"name": "x", "wer": 12.5, "bleu": None, "details": details, "met": True})
    assert read_result(path) == EvaluationResult("x", {"wer": 12.5}, {"wer": "< 30"})


def test_pictures_are_whole_and_named_as_promised(tmp_path):
    drawn = draw([RUN], SCORES, tmp_path / "charts")
    assert [path.name for path in drawn] == [
        f"{name}.png"
        for name in ("training_loss", "learning_rate", "wer_over_steps", "wer_comparison", "bleu_comparison")
    ]
    assert sorted(path.name for path in (tmp_path / "charts").iterdir()) == sorted(path.name for path in drawn)
    for path in drawn:
        image = imread(path)
        assert image.shape[0] > 400 and image.shape[1] > 600 and image.std() > 0.05


def test_without_figures_nothing_is_drawn(tmp_path):
    assert draw([], [EvaluationResult("a", {})], tmp_path) == ()
    assert [path.name for path in draw([], [EvaluationResult("a", {"rouge1": 60.0})], tmp_path)] == [
        "rouge_comparison.png"
    ]


def test_the_loss_has_a_line_for_training_and_one_for_the_dev_set():
    (axes,) = loss_figure([RUN, RUN]).axes
    assert [list(line.get_ydata()) for line in axes.lines[:2]] == [[4.0, 2.0], [2.5]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["hybrid", "hybrid", "on the dev set"]


def test_bars_stand_beside_the_targets_that_all_results_share():
    figure = comparison_figure(SCORES, ("bleu", "chrf"), "translation")
    (axes,) = figure.axes
    assert [line.get_ydata()[0] for line in axes.lines] == [25]
    assert [patch.get_height() for patch in axes.patches] == [30, 20, 60, 40]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["BLEU (target > 25)", "chrF"]

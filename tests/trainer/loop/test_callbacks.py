"""What happens beside the steps."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import TrainerCallback, TrainerControl, TrainerState

from tests.support.small_runs import config, dataset, trainer
from trainer.loop.callbacks import ConvergenceMonitorCallback, MetricsSaveCallback, callbacks, format_logs
from trainer.loop.evaluation_log import expectation_lines, worst_lines
from trainer.models.bundle import build


class Watch(TrainerCallback):
    """Asks a question at every step."""

    def __init__(self, question: Any) -> None:
        self.question, self.answers = question, []

    def on_pre_optimizer_step(self, args, state, control, model=None, **_: Any) -> None:
        self.answers.append(self.question(model))


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_a_line_for_a_person_has_the_loss_first(tmp_path: Path, caplog) -> None:
    caplog.set_level("INFO", "trainer")
    trainer("hybrid", tmp_path, max_steps=2).train()
    first = messages(caplog)[0]
    assert first.startswith("step 1/2, epoch 0.20: loss ")
    assert "att_loss" in first
    assert "ctc_loss" in first
    assert "learning_rate" in first
    assert format_logs({"epoch": 1.0, "grad_norm": 2.0, "loss": 1.23456}) == "loss 1.235, grad_norm 2"


def test_each_of_the_first_ten_steps_has_its_line_and_its_record(tmp_path: Path, caplog) -> None:
    caplog.set_level("INFO", "trainer")
    run = trainer("mt5", tmp_path, max_steps=24, logging_steps=12)
    run.train()
    logged = {row["step"]: row["loss"] for row in run.state.log_history if "loss" in row}
    assert [*logged] == [*range(1, 11), 12, 24]
    lines = [line for line in messages(caplog) if ": loss " in line]
    assert all(line.startswith(f"step {step}/24, ") for line, step in zip(lines, logged, strict=True))
    memory = re.compile(r"; process memory [\d,]+ MB, [\d,]+ MB free, no GPU$")
    assert all(map(memory.search, lines[-2:])) or torch.cuda.is_available()
    assert all(len(line) <= 80 and "grad_norm" in line for line in lines[:10])


def test_a_sample_with_its_reference_and_the_worst_metrics_at_the_first_evaluation(tmp_path: Path, caplog) -> None:
    caplog.set_level("INFO", "trainer")
    trainer("hybrid", tmp_path, max_steps=2, eval_rows=4, eval_strategy="steps", eval_steps=1).train()
    told = [line.removeprefix("[EVAL] ") for line in messages(caplog) if line.startswith("[EVAL] ")]
    assert told[0] == told[2] == "Sample prediction: (empty)" and told.count(told[0]) == 4
    assert told[1].startswith("        reference: ") and told.count(told[1]) == 2  # the same row again
    assert [line for line in told if "no better than empty" in line] == told[4:5]
    assert "WER 100.00" in told[4] and "BLEU 0.00" in told[4] and told[5] == "8 of 8 generated texts are empty"


def test_metrics_that_are_not_at_their_worst_are_not_told() -> None:
    rows = [("transcribe", "xin chào", "xin"), ("transcribe", "một", "")]
    assert [*worst_lines({"eval_wer": 66.7, "eval_rouge2": 0.1, "eval_loss": 0.0}, rows)] == [
        "1 of 2 generated texts are empty"
    ]
    assert next(worst_lines({"eval_rouge1": 0.0}, rows[:1])).startswith("no better than empty texts")


@pytest.mark.parametrize(
    ("step", "epoch", "before", "told"),
    [
        (499, 0.9, {}, []),
        (500, 0.9, {"step": 400, "epoch": 0.7}, ["step 500"]),
        (600, 1.1, {"step": 500, "epoch": 0.9}, ["epoch 1"]),
        (600, 3.0, {}, ["step 500", "epoch 1", "epoch 2", "epoch 3"]),
        (900, 3.5, {"step": 800, "epoch": 3.0}, []),
    ],
)
def test_what_a_healthy_fine_tune_has_is_told_once(step: int, epoch: float, before: Any, told: list[str]) -> None:
    lines = [*expectation_lines(step, epoch, before)]
    assert [line.split(" has at ")[1].split(":")[0] for line in lines] == told


@pytest.mark.parametrize("architecture", ["hybrid", "whisper", "e2e+ctc"])
def test_a_frozen_encoder_thaws_after_its_epochs_and_then_moves(architecture: str, tmp_path: Path) -> None:
    """Six rows in twos: three steps are an epoch. Thawed means in the optimizer too."""
    settings = {"rows": 6, "max_steps": 6, "freeze_encoder": True, "freeze_encoder_epochs": 1, "weight_decay": 0.1}
    run = trainer(architecture, tmp_path, **settings)
    encoder = run.model.get_encoder()
    before = {name: value.detach().clone() for name, value in encoder.named_parameters()}
    frozen = Watch(lambda model: not any(value.grad is not None for value in model.get_encoder().parameters()))
    still = Watch(lambda model: all(torch.equal(value, before[name]) for name, value in encoder.named_parameters()))
    run.add_callback(frozen)
    run.add_callback(still)
    run.train()
    assert frozen.answers == [True, True, True, False, False, False]
    assert still.answers == [True, True, True, True, False, False]
    fixed = {name for name, value in encoder.named_parameters() if torch.equal(value, before[name])}
    assert fixed <= {"embed_positions.weight"}  # Whisper's sinusoids are never learnt


def test_an_encoder_without_a_date_stays_frozen(tmp_path: Path) -> None:
    run = trainer("hybrid", tmp_path, rows=6, max_steps=6, freeze_encoder=True)
    run.train()
    known = {id(value) for group in run.optimizer.param_groups for value in group["params"]}
    assert not any(value.requires_grad or id(value) in known for value in run.model.get_encoder().parameters())


@pytest.mark.parametrize("architecture", ["hybrid", "whisper+ctc", "e2e+ctc"])
def test_the_first_steps_are_ctc_alone(architecture: str, tmp_path: Path) -> None:
    run = trainer(architecture, tmp_path, max_steps=4, ctc_only_steps=2)
    decoder = run.model.decoder if architecture != "whisper+ctc" else run.model.model.decoder
    watch = Watch(lambda model: (model.ctc_only, all(value.grad is None for value in decoder.parameters())))
    run.add_callback(watch)
    run.train()
    assert watch.answers == [(True, True), (True, True), (False, False), (False, False)]
    lines = [line for line in run.state.log_history if "loss" in line]
    assert ["att_loss" in line for line in lines] == [False, False, True, True]
    assert lines[0]["loss"] == lines[0]["ctc_loss"]


def test_evaluation_in_the_phase_of_ctc_alone_is_of_the_whole_model(tmp_path: Path) -> None:
    """Else its loss would be another quantity, and might win as the best of the run."""
    settings = {"eval_strategy": "steps", "eval_steps": 1, "predict_with_generate": False, "learning_rate": 1e-9}
    run = trainer("hybrid", tmp_path, max_steps=2, ctc_only_steps=1, eval_rows=4, **settings)
    run.train()
    losses = [line["eval_loss"] for line in run.state.log_history if "eval_loss" in line]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


def test_the_history_is_saved_at_every_evaluation(tmp_path: Path) -> None:
    path = tmp_path / "metrics" / "x_metrics.json"
    state = TrainerState(global_step=3, log_history=[{"step": 3, "loss": 1.0}], best_metric=0.5, best_global_step=2)
    MetricsSaveCallback(path, "x").on_evaluate(None, state, TrainerControl())
    saved = json.loads(path.read_text())
    assert saved == {"experiment": "x", "steps": 3, "best_metric": 0.5, "best_step": 2, "history": state.log_history}
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def tell(monitor: ConvergenceMonitorCallback, losses: dict[int, float]) -> None:
    for step, loss in losses.items():
        monitor.on_log(None, TrainerState(global_step=step), TrainerControl(), logs={"loss": loss})


def test_a_loss_that_does_not_improve_for_500_steps_is_told(caplog) -> None:
    tell(ConvergenceMonitorCallback(), {100: 2.0, 400: 2.5, 599: 2.1, 600: 2.1, 700: 2.0, 1100: 2.2})
    assert [line.split(":")[0] for line in messages(caplog)] == ["step 600", "step 1100"]
    assert "has not been below 2 for 1000 steps" in messages(caplog)[1]


@pytest.mark.parametrize("losses", [{100: 2.0, 600: 1.9, 1100: 1.8}, {1: math.nan, 400: math.nan}])
def test_a_loss_that_improves_or_a_young_run_is_left_alone(losses: dict[int, float], caplog) -> None:
    tell(ConvergenceMonitorCallback(), losses)
    assert messages(caplog) == []


def test_a_loss_that_is_nan_is_no_improvement(caplog) -> None:
    tell(ConvergenceMonitorCallback(), dict.fromkeys((1, 250, 500), math.nan))
    assert "has not been a finite number for 500 steps" in messages(caplog)[0]


def test_only_what_the_configuration_asks_for(tmp_path: Path) -> None:
    settings = config("hybrid", tmp_path, report_to="tensorboard", early_stopping_patience=2, ctc_only_steps=1)
    bundle = build(settings, dataset("hybrid", 4).texts())
    names = {type(one).__name__ for one in callbacks(bundle, evaluates=True)}
    assert {"TensorBoardCallback", "EarlyStoppingCallback", "CTCPhaseCallback"} <= names
    assert "EncoderUnfreezeCallback" not in names
    assert not (tmp_path / "logs").exists()  # building writes nothing
    assert "EarlyStoppingCallback" not in {type(one).__name__ for one in callbacks(bundle, evaluates=False)}

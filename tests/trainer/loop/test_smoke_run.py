"""`train --debug-steps`: lines as people search for them, an evaluation, a verdict; and the real run is left alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from tests.support.small_runs import write_run
from trainer.cli import main
from trainer.loop.smoke_output import batch_line

FIRST = re.compile(
    r"\[DBG\] step= {0,2}\d+  B=\d+  T_max=\d+  L_max=\d+ loss=\d+\.\d{4}(  ctc=\d+\.\d{4})?(  att=\d+\.\d{4})?"
)
SECOND = re.compile(r" {7}grad_norm=\d+\.\d{2}  lr=\d\.\d{6}e[-+]\d{2}  clip=\d+\.\d{2}  peak_memory=\d+MB")
BATCH = re.compile(r"\[DBG\] batch: (\w+ \[\d+(, \d+)*\] nan=False(  )?)+")
ENCODER = re.compile(r"\[DBG\] encoder_out: \[\d+, \d+, 16\]  mask_sum: \d+")
SETTINGS: dict[str, Any] = {"rows": 40, "max_steps": 200, "warmup_steps": 10}
SKIPPED = ("--skip-preflight", "the steps are what is tested")


def run(path: Path, *words: Any) -> Any:
    return CliRunner().invoke(main, ["--config", str(path), *SKIPPED, *map(str, words)])


@pytest.mark.parametrize(("architecture", "score"), [("hybrid", "WER"), ("mt5", "ROUGE-L"), ("whisper", "WER")])
def test_lines_evaluation_and_verdict(tmp_path: Path, architecture: str, score: str) -> None:
    path = write_run(tmp_path, architecture, **SETTINGS)
    told = run(path, "--debug-steps", 12, "--subset", 30, "--set", "training.batch_size=3")
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    steps, more, batches, encoded = (lines[place:48:4] for place in range(4))
    assert all(map(FIRST.fullmatch, steps)) and all(map(SECOND.fullmatch, more))
    assert all(map(BATCH.fullmatch, batches)) and all(map(ENCODER.fullmatch, encoded))
    assert_mask_sums(architecture, encoded)
    assert ("ctc=" in steps[0]) == ("att=" in steps[0]) == (architecture == "hybrid")
    rates = [float(line.split("lr=")[1].split()[0]) for line in more]
    assert rates[:3] == [0.0, 1e-4, 2e-4] and max(rates) == 1e-3  # the real run's warm-up, not one of twelve steps
    assert lines[48] == "=== Smoke eval ===" and re.search(rf"^== Dev {score}: \d+\.\d\d %$", told.stdout, re.MULTILINE)
    assert "reference:" in told.stdout and "prediction:" in told.stdout
    silent = "generated texts are empty" in told.stdout
    assert lines[-1].startswith("NO ERROR FOUND: 1 warning" if silent else "ALL CHECKS PASSED")
    assert not torch.is_anomaly_enabled()


def assert_mask_sums(architecture: str, lines: list[str]) -> None:
    """Whisper attends to all frames; of the others, some are padding."""
    found = [tuple(map(int, re.findall(r"\d+", line))) for line in lines]
    padding = [rows * frames - real for rows, frames, _, real in found]
    assert not any(padding) if architecture == "whisper" else min(padding) >= 0 < max(padding), lines


def test_texts_that_are_all_empty_are_told_and_not_all_checks_have_passed(tmp_path: Path) -> None:
    told = run(write_run(tmp_path, "hybrid", **SETTINGS), "--debug-steps", 3)
    assert told.exit_code == 0 and "all 8 generated texts are empty, expected words" in told.stdout, told.output
    assert "ALL CHECKS PASSED" not in told.stdout and "NO ERROR FOUND: 1 warning" in told.stdout


def test_a_nan_in_a_batch_is_told_by_its_key() -> None:
    batch = {"feats": torch.tensor([[1.0, torch.nan]]), "feat_lens": torch.tensor([2])}
    assert batch_line(batch) == "[DBG] batch: feats [1, 2] nan=True  feat_lens [1] nan=False"


def test_the_environment_asks_for_it_too_and_nothing_of_the_real_run_is_touched(tmp_path: Path) -> None:
    path = write_run(tmp_path, "mt5", max_steps=3, save_strategy="steps", save_steps=3)
    words = [str(Path(sys.executable).with_name("train")), "--config", str(path), *SKIPPED]
    real = subprocess.run([*words, "--debug-steps", "0"], capture_output=True, env={**os.environ, "DEBUG_STEPS": "2"})
    assert real.returncode == 0 and b"DBG" not in real.stdout
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "run").rglob("*") if "preflight" not in file.parts}
    asked = {**os.environ, "DEBUG_STEPS": "4"}
    told = subprocess.run([*words, "--print-every", "2", "--epochs", "1"], capture_output=True, text=True, env=asked)
    assert told.returncode == 0, told.stderr
    assert [line[:15] for line in told.stdout.splitlines() if "[DBG] step" in line] == [
        "[DBG] step=  2 ",
        "[DBG] step=  4 ",
    ]
    assert {file: file.stat().st_mtime_ns for file in before} == before
    new = [file for file in (tmp_path / "run").rglob("*") if file.is_file() and file not in before]
    assert {file.relative_to(tmp_path / "run").parts[0] for file in new} <= {"smoke", "preflight"}


@pytest.mark.parametrize("more", [(), ("--no-detect-anomaly",)], ids=["anomaly mode", "without"])
def test_a_step_that_is_not_finite_ends_it_with_the_finding_and_a_recording(tmp_path: Path, more: Any) -> None:
    path = write_run(tmp_path, "hybrid", **{**SETTINGS, "learning_rate": 1e30, "warmup_steps": 2})
    told = run(path, "--debug-steps", 20, *more)
    assert told.exit_code == 1, told.output
    assert "THE RUN WAS STOPPED" in told.stderr and "STP0" in told.stderr and "fix:" in told.stderr
    folder = Path(re.search(r"^recording: (.*)$", told.stderr, re.MULTILINE)[1])
    assert folder.parent == tmp_path / "run" / "smoke" / "recordings"
    assert json.loads((folder / "recording.json").read_text())["exact"]


@pytest.mark.parametrize("mode", ["warn", "off"])
def test_who_does_not_want_to_be_stopped_sees_all_steps_and_the_verdict(tmp_path: Path, mode: str) -> None:
    path = write_run(tmp_path, "hybrid", **{**SETTINGS, "learning_rate": 1e30, "warmup_steps": 2})
    told = run(path, "--debug-steps", 6, "--guard", mode)
    assert told.exit_code == 1 and told.stdout.count("[DBG] step") == 6, told.output
    assert "=== Smoke eval ===" in told.stdout and "DO NOT START TRAINING" in told.stdout


def test_a_loss_that_went_by_has_not_passed(tmp_path: Path) -> None:
    """One clip of samples that are finite, and whose power is not: the guard only warns, and the run goes on."""
    import soundfile

    path = write_run(tmp_path, "hybrid", **SETTINGS)
    spoilt, rate = soundfile.read(tmp_path / "clip-7.wav", dtype="float32")
    spoilt[2000:2003] = 1e30
    soundfile.write(tmp_path / "clip-7.wav", spoilt, rate, subtype="FLOAT")
    told = run(path, "--debug-steps", 20, "--guard", "warn", "--no-detect-anomaly")
    assert told.exit_code == 1 and re.search(r"no-go: the loss of step \d+ is nan", told.stderr), told.output


def test_a_schedule_that_never_steps_is_no_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = torch.optim.lr_scheduler.LambdaLR.step

    def once(schedule: Any, *_: Any) -> None:
        if not hasattr(schedule, "_last_lr"):
            usual(schedule)

    monkeypatch.setattr(torch.optim.lr_scheduler.LambdaLR, "step", once)
    told = run(write_run(tmp_path, "hybrid", **{**SETTINGS, "warmup_steps": 0}), "--debug-steps", 12)
    assert told.exit_code == 1 and "STP018 error" in told.stdout, told.output


def test_without_a_score_nothing_is_vouched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainer.loop.evaluation.metric_values", lambda *_: {})
    told = run(write_run(tmp_path, "mt5", **SETTINGS), "--debug-steps", 3)
    assert told.exit_code == 2 and "INCONCLUSIVE" in told.stdout and "the evaluation returned no metric" in told.stdout


@pytest.mark.parametrize(("steps", "schedule", "code"), [(1, "cosine", 2), (1, "constant", 0), (3, "cosine", 0)])
def test_a_learning_rate_that_was_not_seen_to_move_is_not_vouched_for(
    tmp_path: Path, steps: int, schedule: str, code: int
) -> None:
    told = run(write_run(tmp_path, "mt5", **SETTINGS, lr_scheduler_type=schedule), "--debug-steps", steps)
    assert told.exit_code == code and ("did not change in 1 step;" in told.stdout) == (code == 2), told.output


def test_a_phase_of_ctc_alone_tells_its_part(tmp_path: Path) -> None:
    told = run(write_run(tmp_path, "whisper+ctc", **SETTINGS, ctc_only_steps=2), "--debug-steps", 4)
    lines = [line for line in told.stdout.splitlines() if line.startswith("[DBG] step")]
    assert ["ctc=" in line for line in lines] == [True] * 4
    assert ["att=" in line for line in lines] == [False, False, True, True]
    assert all(map(FIRST.fullmatch, lines)) and "opens the gate" not in told.stdout


def test_the_preflight_gates_it_too(tmp_path: Path) -> None:
    path = write_run(tmp_path, "hybrid", **SETTINGS)
    told = CliRunner().invoke(
        main, ["--config", str(path), "--debug-steps", "3", "--set", "training.learning_rate=100"]
    )
    assert told.exit_code == 1 and "the run does not start" in told.stderr and "DBG" not in told.stdout
    assert run(path, "--debug-steps", 3, "--resume", "auto").exit_code == 2

"""Guards of a run: a step that is not finite leaves no trace in the weights, and the run ends where it happened."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import soundfile
import torch
from click.testing import CliRunner

from diagnose import Guard, Stopped
from diagnose.bug_report import first_steps
from diagnose.cli import main as diagnose
from diagnose.common.errors import InputError
from tests.support.small_runs import ROOT, trainer, write_run
from trainer.cli import main
from trainer.loop.guard.open_recording import open_recording
from trainer.loop.guard.recording import rows_of

SETTINGS: dict[str, Any] = {"rows": 20, "max_steps": 9, "lr_scheduler_type": "constant", "dropout": 0.1}


class Poisoned:
    """One clip whose features hold a NaN: what our own reader would refuse, but a person's may not."""

    def __init__(self, collate: Any, clip: str) -> None:
        self.collate, self.clip = collate, clip

    def __call__(self, items: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        batch = self.collate(items)
        for number, item in enumerate(items):
            if item["audio_path"] == self.clip:
                batch["feats"][number, 3, 5] = float("nan")
        return batch


def poisoned(directory: Path, step: int = 7, **settings: Any) -> tuple[Any, str]:
    """A run in which a clip of that step is bad, and the clip."""
    run = trainer("hybrid", directory, **{**SETTINGS, **settings})
    clip = list(rows_of(run, step, run.args.gradient_accumulation_steps))[-1][0]["file"]
    run.data_collator = Poisoned(run.data_collator, clip)
    return run, clip


def weights(run: Any) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in run.model.state_dict().items()}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(value, other[name]) for name, value in one.items())


@pytest.mark.parametrize(
    ("settings", "lag"),
    [
        pytest.param({}, None, id="plain"),
        pytest.param({"gradient_accumulation_steps": 2, "rows": 40}, None, id="accumulated"),
        pytest.param({"logging_steps": 100}, 2, id="withheld on the device, read two steps later"),
        pytest.param({"max_grad_norm": 0.0}, None, id="without clipping"),
    ],
)
def test_a_bad_clip_at_step_7_stops_the_run_before_its_update(
    tmp_path: Path, settings: dict[str, Any], lag: int | None
) -> None:
    healthy = trainer("hybrid", tmp_path / "healthy", **{**SETTINGS, **settings, "max_steps": 6})
    healthy.train()
    run, clip = poisoned(tmp_path / "run", **settings)
    run.set_guard(Guard(), lag)
    with pytest.raises(Stopped) as stop:
        run.train()
    assert same(weights(run), weights(healthy))
    ours, theirs = (one.optimizer.state_dict()["state"] for one in (run, healthy))
    assert all(torch.equal(ours[n][name], value) for n, state in theirs.items() for name, value in state.items())
    finding = stop.value.report.diagnosis[0].finding
    assert (finding.where, str(finding.severity)) == ("step 7", "error")
    facts = json.loads((stop.value.recording / "recording.json").read_text())
    assert facts["step"] == 7 and len(facts["batches"]) == run.args.gradient_accumulation_steps
    assert clip in [row["file"] for rows in facts["rows"] for row in rows]


@pytest.mark.parametrize("lag", [None, 2])
def test_warned_only_the_run_goes_on_as_if_the_step_had_not_been(
    tmp_path: Path, lag: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    run, _ = poisoned(tmp_path, logging_steps=9)
    run.set_guard(Guard("warn"), lag)
    run.train()
    assert run.state.global_step == 9 and run.step_monitor.recording.name == "step-0000007"
    logged = [line for line in run.state.log_history if "loss" in line]
    assert all(value == value for line in logged for value in line.values())
    assert all(torch.isfinite(value).all() for value in weights(run).values())
    told = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert len([text for text in told if "at step 7" in text]) == 1 and "skipped updates" in told[-1]


def test_a_guarded_run_is_the_same_run_to_the_last_bit(tmp_path: Path) -> None:
    plain = trainer("hybrid", tmp_path / "plain", **SETTINGS)
    plain.train()
    luck = torch.rand(())
    watched = trainer("hybrid", tmp_path / "watched", **SETTINGS)
    watched.set_guard(Guard(every=3), 2)
    watched.train()
    assert torch.equal(torch.rand(()), luck) and same(weights(watched), weights(plain))
    losses = [[line.get("loss") for line in one.state.log_history] for one in (plain, watched)]
    assert losses[0] == losses[1]


def test_buffers_that_a_bad_forward_pass_poisoned_are_put_back(tmp_path: Path) -> None:
    run, _ = poisoned(tmp_path)
    norm = run.model.norm_on_trial = torch.nn.BatchNorm1d(80)

    def see(model: Any, args: Any, given: dict[str, torch.Tensor]) -> None:
        norm(given["feats"].flatten(0, 1))

    run.model.register_forward_pre_hook(see, with_kwargs=True)
    run.set_guard(Guard("warn"))
    run.train()
    assert torch.isfinite(norm.running_mean).all() and norm.num_batches_tracked > 0


def test_weights_that_are_not_finite_are_seen_where_an_epoch_ends(tmp_path: Path) -> None:
    from transformers import TrainerCallback

    run = trainer("hybrid", tmp_path, **{**SETTINGS, "rows": 6})

    class Break(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step == 3:
                next(iter(run.model.parameters())).data.view(-1)[0] = float("inf")

    run.add_callback(Break())
    run.set_guard(Guard())
    with pytest.raises(Stopped):
        run.train()
    assert run.state.global_step == 3


def test_a_loop_of_ones_own() -> None:
    guard = Guard()
    for step in range(1, 7):
        loss = torch.tensor(3.0 - 0.1 * step, requires_grad=True)
        with warnings.catch_warnings(action="error"):
            assert guard.step(loss=loss, grad_norm=1.0 + step % 3, lr=1e-3) == ()
    with pytest.raises(Stopped) as stop:
        guard.step(loss=float("nan"), grad_norm=1.0, lr=1e-3)
    assert stop.value.report.diagnosis[0].finding.where == "step 7"
    quiet = Guard("off")
    assert quiet.step(loss=float("inf")) == () and len(quiet.records().rows) == 1
    with pytest.raises(InputError, match="expected one of off, warn, stop"):
        Guard("loud")


@pytest.mark.parametrize(("steps", "looks"), [(range(1, 61), [10, 50]), (range(7, 60, 7), [14, 56]), ([121, 122], [])])
def test_all_probes_look_after_the_first_ten_steps_and_then_now_and_then(steps: Any, looks: list[int]) -> None:
    """In our trainer every process must know when: a run that is taken up in its midst looks when the others do."""
    guard, seen = Guard(), []
    for step in steps:
        guard.judge(step=step, loss=3.0 - step / 100, lr=1e-4 * step)
        if guard.report is not None:
            seen.append(step)
    assert seen == looks and (steps[0] == 7 or seen == [step for step in steps if guard.due(step)])


def test_a_loss_of_zero_from_the_start_stops_after_ten_steps() -> None:
    guard = Guard()
    with pytest.raises(Stopped) as stop:
        for step in range(1, 51):
            guard.step(loss=0.0, grad_norm=1e-3, lr=1e-3 * step)
    assert stop.value.report.diagnosis[0].finding.probe == "STP005" and len(guard.records().rows) == 10


def test_as_a_person_meets_it(tmp_path: Path) -> None:
    """A learning rate beyond all measure: the run ends with 1 and says how to look into it, unless told otherwise."""
    path = write_run(tmp_path, "hybrid", learning_rate=1e30, max_steps=6, logging_steps=10)
    words = ["--config", str(path), "--skip-preflight", "the guard is what is tested"]
    told = CliRunner().invoke(main, words)
    recording = tmp_path / "run" / "recordings"
    assert told.exit_code == 1, told.output
    assert "THE RUN WAS STOPPED" in told.stderr and "1. STP0" in told.stderr and "fix: " in told.stderr
    assert f"replay: diagnose nan-bisect {recording}/step-000000" in told.stderr
    (stop,) = [line for line in (tmp_path / "run" / "logs" / "train.log").read_text().splitlines() if "stopped" in line]
    assert "stopped by STP0" in stop and "is nan" in stop and "loss" in stop
    assert not (tmp_path / "run" / "model.safetensors").exists()
    assert first_steps(tmp_path / "run")[0]["step"] == 1  # for a bug report, without any checkpoint
    assert CliRunner().invoke(main, [*words, "--guard", "off"]).exit_code == 0


def test_a_nan_in_one_audio_file_is_stopped_recorded_and_replayed(tmp_path: Path) -> None:
    """In the file itself: every step before it is made, the one that draws it is not."""
    path = write_run(tmp_path, "hybrid", rows=16, max_steps=8, batch_size=2, logging_steps=1, learning_rate=1e-3)
    words = ["--config", str(path), "--skip-preflight", "the guard is what is tested"]
    bad = tmp_path / next(csv.DictReader((tmp_path / "splits" / "train.csv").open(encoding="utf-8")))["audio_path"]
    samples, rate = soundfile.read(bad, dtype="float32")
    samples[len(samples) // 2] = float("nan")
    soundfile.write(bad, samples, rate, subtype="FLOAT")
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 1 and "THE RUN WAS STOPPED" in told.stderr, told.output
    (recording,) = (tmp_path / "run" / "recordings").iterdir()
    again = CliRunner().invoke(diagnose, ["nan-bisect", str(recording)])
    assert again.exit_code == 1 and "loss nan, bit-identical" in again.stdout, again.output
    assert bad.name in again.stdout and "LOS050" in again.stdout and "module " in again.stdout
    assert CliRunner().invoke(main, [*words, "--guard", "off"]).exit_code == 2  # nobody answers for it: refused


TWO = """
import os, sys
from pathlib import Path
from diagnose.guard import Guard
from diagnose import Stopped
from tests.trainer.loop.guard.test_guard import SETTINGS, poisoned
from tests.support.small_runs import trainer

rank, folder, mode = int(os.environ["RANK"]), Path(sys.argv[1]), sys.argv[2]
run = poisoned(folder, rows=40)[0] if rank else trainer("hybrid", folder, **{**SETTINGS, "rows": 40})
run.set_guard(Guard(mode, every=3))
try:
    run.train()
except Stopped:
    pass
weights = float(sum(value.detach().double().sum() for value in run.model.parameters()))
(folder / f"rank-{rank}.txt").write_text(f"{run.state.global_step} {weights!r}")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "steps"), [("stop", "6"), ("warn", "9")])
def test_many_processes_agree_and_the_one_with_the_bad_clip_records_it(tmp_path: Path, mode: str, steps: str) -> None:
    (tmp_path / "two.py").write_text(TWO)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [*launch, str(tmp_path / "two.py"), str(tmp_path), mode]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    told = [(tmp_path / f"rank-{rank}.txt").read_text() for rank in (0, 1)]
    assert told[0] == told[1] and told[0].split()[0] == steps, done.stderr[-2000:]
    (recording,) = (tmp_path / "recordings").iterdir()
    replay = open_recording(recording)
    assert recording.name == "step-0000007-rank-1" and str(replay.loss(replay.micro_batches[0])) == "nan"

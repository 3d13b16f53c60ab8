"""The recording of a failed step: whole or not there, bounded, and the same step again when it is replayed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from diagnose.cli import main
from diagnose.common.errors import InputError
from diagnose.engine.report import Stopped
from diagnose.guard import Guard
from tests.support.small_runs import ARCHITECTURES, trainer
from tests.trainer.loop.guard.test_guard import poisoned
from trainer.loop.checkpoints.checksums import verify
from trainer.loop.guard import recording
from trainer.loop.guard.recording import recordings, remove_partial_recordings
from trainer.loop.guard.replay import open_recording
from trainer.loop.guard.tensor_json import pack, unpack


def failed(run: Any) -> Path:
    """The recording of a run that a guard stops."""
    run.set_guard(Guard())
    with pytest.raises(Stopped) as stop:
        run.train()
    assert verify(stop.value.recording) is None
    return stop.value.recording


def bisect(*words: Any) -> Any:
    return CliRunner().invoke(main, ["nan-bisect", *map(str, words)])


def test_nan_bisect_names_the_clip_and_the_loss_is_the_same(tmp_path: Path) -> None:
    run, clip = poisoned(tmp_path, gradient_accumulation_steps=2, rows=40)
    folder = failed(run)
    told = bisect(folder)
    assert told.exit_code == 1, told.output
    healthy, bad, origin, where = told.stdout.splitlines()[:4]
    assert healthy.startswith("step 7, batch 0 of 2: loss ") and healthy.endswith(", bit-identical")
    assert bad == "step 7, batch 1 of 2: loss nan, bit-identical" and origin == "ORIGIN"
    assert where.startswith("LOS050 error  batch['feats'], row ") and clip in where
    assert told.stdout.splitlines()[-1] == "module     encoder.subsampling.first (Conv1d), the first that it reaches"
    assert bisect(folder, "--drill-down", "encoder").stdout.startswith("encoder")
    assert bisect(folder, "--batch", 1).exit_code == 2


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("settings", [{}, {"bf16": True}], ids=["fp32", "bf16"])
def test_a_step_that_fails_in_the_backward_pass_has_the_same_loss_again(
    tmp_path: Path, architecture: str, settings: dict[str, Any]
) -> None:
    run = trainer(architecture, tmp_path, dropout=0.2, gradient_accumulation_steps=2, rows=14, **settings)
    weight = next(value for value in run.model.parameters() if value.requires_grad)
    weight.register_hook(lambda gradient: gradient / 0 if run.state.global_step == 2 else None)
    replay = open_recording(failed(run))
    assert replay.step == 3 and [micro.loss for micro in replay.micro_batches] == list(
        map(replay.loss, replay.micro_batches)
    )
    assert len({micro.loss for micro in replay.micro_batches}) == 2
    ours, theirs = replay.optimizer.state_dict(), run.optimizer.state_dict()
    assert json.dumps(ours["param_groups"]) == json.dumps(theirs["param_groups"])
    assert all(
        torch.equal(value, theirs["state"][n][name])
        for n, state in ours["state"].items()
        for name, value in state.items()
    )


def test_a_checkpoint_is_looked_at_with_the_configuration_of_its_run(tmp_path: Path) -> None:
    from tests.support.small_runs import write_run
    from trainer.config import load
    from trainer.loop.run import train

    path = write_run(tmp_path, "hybrid", save_strategy="steps", save_steps=2, max_steps=2)
    train(load(path))
    checkpoint = tmp_path / "run" / "checkpoint-2"
    sound = bisect("--config", path, "--checkpoint", checkpoint)
    assert (sound.exit_code, sound.stdout) == (0, "every value is finite in fp32: all batches\n")
    (checkpoint / "model.safetensors").write_bytes(b"torn")
    torn = bisect("--config", path, "--checkpoint", checkpoint)
    assert torn.exit_code == 2 and "its model.safetensors has 4 bytes" in torn.stderr
    assert bisect("--checkpoint", checkpoint).exit_code == 2


def test_a_recording_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    run, _ = poisoned(tmp_path, step=1)
    folder = failed(run)
    batches = folder / "batches.safetensors"
    batches.write_bytes(batches.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"its batches.safetensors has .* bytes instead of"):
        open_recording(folder)
    told = bisect(folder)
    assert told.exit_code == 2 and told.stderr.count("\n") == 1
    assert bisect(tmp_path / "gone").exit_code == 2


def test_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, _ = poisoned(tmp_path, step=2)
    folder = failed(run)
    for step in (3, 4, 5):
        run.step_monitor.snapshot.step = step
        recording.record(run, run.step_monitor.snapshot, {})
    assert [path.name for path in recordings(tmp_path)] == [f"step-000000{step}" for step in (3, 4, 5)]
    monkeypatch.setattr(recording, "MAX_BYTES", 1.0)
    run.step_monitor.snapshot.step = 6
    alone = recording.record(run, run.step_monitor.snapshot, {})
    assert recordings(tmp_path) == [alone] and json.loads((alone / "recording.json").read_text())["optimizer"] is None
    assert open_recording(alone).optimizer is None
    (folder.parent / ".saving-step-0000009").mkdir()
    remove_partial_recordings(tmp_path)
    assert recordings(tmp_path) == [alone] and len(list(folder.parent.iterdir())) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk_does_not_take_the_place_of_the_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a disk")
    try:
        run, _ = poisoned(disk / "run", step=2)
        run.set_guard(Guard())
        with pytest.raises(Stopped) as stop:
            run.train()
        assert stop.value.recording is None and not list((disk / "run" / "recordings").iterdir())
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert "the recording of step 2 could not be written" in caplog.text


def test_neither_does_a_batch_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, _ = poisoned(tmp_path, step=2)
    monkeypatch.setattr(recording, "rows_of", lambda *_: iter(1 / 0 for _ in "x"))
    run.set_guard(Guard())
    with pytest.raises(Stopped) as stop:
        run.train()
    assert stop.value.recording is None and recordings(tmp_path) == []


def test_a_batch_of_any_form_comes_back_as_it_was() -> None:
    batch = {"b": torch.ones(2, dtype=torch.bfloat16), "a": [1, ("x", torch.zeros(0)), {3: None, "y": 0.1}], "c": True}
    tensors: dict[str, torch.Tensor] = {}
    plain = json.loads(json.dumps(pack(batch, tensors)))
    back = unpack(plain, tensors)
    assert list(back) == list(batch) and back["a"][0] == 1 and back["a"][2] == {3: None, "y": 0.1} and back["c"] is True
    assert back["b"].dtype == torch.bfloat16 and isinstance(back["a"][1], tuple) and back["a"][1][1].shape == (0,)


@pytest.mark.parametrize("since", [1, 3, 5], ids=lambda step: f"written to from step {step} on")
def test_a_batch_that_the_model_writes_into_is_recorded_as_it_came(tmp_path: Path, since: int) -> None:
    """The first time that it does so after it did not, there is no copy, and the recording says so."""
    run, _ = poisoned(tmp_path, step=5)

    def write(model: Any, args: Any, given: dict[str, torch.Tensor]) -> None:
        if run.state.global_step + 1 >= since:
            given["feats"].nan_to_num_(3.0).mul_(float("nan") if run.state.global_step == 4 else 1.0)

    run.model.register_forward_pre_hook(write, with_kwargs=True)
    folder = failed(run)
    facts = json.loads((folder / "recording.json").read_text())
    (batch,) = (micro.batch["feats"] for micro in open_recording(folder).micro_batches)
    assert facts["step"] == 5 and facts["exact"] == (since < 5)
    assert int(torch.isnan(batch).sum()) == (1 if since < 5 else batch.numel())


def test_a_kill_leaves_no_half_recording() -> None:
    from tests.support.recording_kill_runs import campaign

    found = campaign(kills=6)
    assert found["half"] == found["left_over"] == 0 and found["while_writing"] > 0

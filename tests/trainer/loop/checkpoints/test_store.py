"""Checkpoints are whole or not there: staged, synced, digested, renamed; a full disk leaves the last good one."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from diagnose.common.errors import InputError
from tests.support.small_runs import ROOT, trainer
from trainer.loop.checkpoints import checksums
from trainer.loop.checkpoints import store as store
from trainer.loop.checkpoints.store import (
    archive_old_checkpoints,
    checkpoints,
    commit_checkpoint,
    install_files,
    recover,
    rotate,
    verify,
)


def commit(run: Path, step: int, content: str = "weights") -> Path:
    final = run / store.name_of(step)
    with commit_checkpoint(final, 10) as staged:
        (staged / "model.bin").write_text(content)
        (staged / "deep").mkdir()
        (staged / "deep" / "more.txt").write_text("more")
    return final


def names(run: Path) -> list[str]:
    return sorted(path.name for path in run.iterdir())


def test_a_committed_checkpoint_verifies(tmp_path: Path) -> None:
    assert verify(commit(tmp_path, 5)) is None
    assert names(tmp_path) == ["checkpoint-5"]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda c: (c / "model.bin").write_text("weighty"), "its model.bin has changed since it was saved"),
        (lambda c: (c / "model.bin").write_text("weigh"), "its model.bin has 5 bytes instead of 7"),
        (lambda c: (c / "deep" / "more.txt").unlink(), "its more.txt is missing"),
        (lambda c: (c / "digests.json").unlink(), "it has no digests.json, so it is incomplete"),
        (lambda c: (c / "digests.json").write_text("{"), "its digests.json cannot be read"),
        (lambda c: (c / "digests.json").write_text('{"files": {}}'), "its digests.json is empty"),
        (lambda c: (c / "digests.json").write_text('{"files": {"model.bin": 3}}'), "its digests.json cannot be read"),
        (lambda c: shutil.rmtree(c), "it does not exist"),
    ],
)
def test_every_spoilt_one_has_a_reason(tmp_path: Path, spoil, reason: str) -> None:
    found = commit(tmp_path, 5)
    spoil(found)
    assert verify(found).startswith(reason)


def test_files_and_folders_reach_the_disk_before_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file, then the digests, then the folders, are synced; the rename comes after, and is synced too."""
    order: list[str] = []
    real, rename = os.fsync, Path.rename

    def fsync(handle: int) -> None:
        order.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "rename", lambda path, to: (order.append(f"-> {Path(to).name}"), rename(path, to))[1])
    commit(tmp_path, 5)
    assert order[:3] == ["more.txt", "model.bin", "digests.json"]
    assert set(order[3:5]) == {"deep", ".saving-checkpoint-5"}
    assert order[5:] == ["-> checkpoint-5", tmp_path.name]


def test_a_failure_while_writing_leaves_nothing_behind(tmp_path: Path) -> None:
    old = commit(tmp_path, 5)
    with pytest.raises(KeyError), commit_checkpoint(tmp_path / "checkpoint-6", 10) as staged:
        (staged / "half").write_text("half")
        raise KeyError("our own fault, not the disk's")
    assert names(tmp_path) == ["checkpoint-5"]
    assert verify(old) is None


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 576 vs 534"),
        Exception("Error while serializing: I/O error: No space left on device (os error 28)"),
    ],
)
def test_a_full_disk_is_one_sentence_with_the_numbers(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(InputError) as told, commit_checkpoint(tmp_path / "checkpoint-6", 12_300_000):
        raise error
    said = told.value.message
    assert said.startswith(f"checkpoint-6 could not be written to {tmp_path} (")
    assert "needs about 12.3 MB" in said
    assert "MB are free" in said
    assert "--resume auto" in said
    assert names(tmp_path) == []


def test_too_little_room_is_refused_before_the_first_byte(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="No space left on device"),
        commit_checkpoint(tmp_path / "checkpoint-6", 10**18),
    ):
        pytest.fail("nothing is to be written")
    assert names(tmp_path) == []


def test_the_same_step_again_takes_the_place_of_the_old(tmp_path: Path) -> None:
    commit(tmp_path, 5, "old")
    again = commit(tmp_path, 5, "new")
    assert (again / "model.bin").read_text() == "new"
    assert verify(again) is None
    assert names(tmp_path) == ["checkpoint-5"]


@pytest.mark.parametrize(
    ("limit", "best", "left"),
    [
        (2, 40, [30, 40]),
        (2, 10, [10, 40]),
        (1, 10, [10, 40]),
        (1, 40, [40]),
        (None, 40, [10, 20, 30, 40]),
        (9, 10, [10, 20, 30, 40]),
    ],
)
def test_rotation_keeps_the_newest_and_the_best(tmp_path: Path, limit: int | None, best: int, left: list[int]) -> None:
    found = {step: commit(tmp_path, step) for step in (10, 20, 30, 40)}
    rotate(tmp_path, limit, [found[40], found[best]])
    assert [store.step_of(path) for path in checkpoints(tmp_path)] == left
    assert names(tmp_path) == [f"checkpoint-{step}" for step in left]


def test_rotation_never_trades_a_whole_one_for_a_spoilt_one(tmp_path: Path) -> None:
    """After a resume from 20, an older spoilt 30 is still there: what was just committed stays all the same."""
    spoilt = commit(tmp_path, 30)
    (spoilt / "digests.json").unlink()
    newest = commit(tmp_path, 25)
    rotate(tmp_path, 1, [newest, newest])
    assert checkpoints(tmp_path) == [newest]
    assert verify(newest) is None


def test_what_a_kill_leaves_is_finished_or_cleared_away(tmp_path: Path) -> None:
    """Sealed but not renamed: a checkpoint. Not sealed: rubbish. Half removed: rubbish."""
    commit(tmp_path, 7).rename(tmp_path / ".saving-checkpoint-7")
    commit(tmp_path, 5).rename(tmp_path / ".removing-checkpoint-5")
    half = tmp_path / ".saving-checkpoint-8"
    half.mkdir()
    (half / "model.bin").write_text("half")
    recover(tmp_path)
    assert names(tmp_path) == ["checkpoint-7"]
    assert verify(tmp_path / "checkpoint-7") is None


def test_a_kill_between_rename_and_removal_leaves_no_surplus(tmp_path: Path) -> None:
    for step in (10, 20, 30):
        commit(tmp_path, step)
    (tmp_path / "checkpoint-30" / "trainer_state.json").write_text('{"best_global_step": 10}')
    (tmp_path / "checkpoint-30" / checksums.DIGESTS).unlink()
    checksums.write_checksums(tmp_path / "checkpoint-30")
    recover(tmp_path)
    assert len(checkpoints(tmp_path)) == 3
    recover(tmp_path, limit=2)
    assert names(tmp_path) == ["checkpoint-10", "checkpoint-30"]
    (tmp_path / "checkpoint-30" / "model.bin").unlink()
    recover(tmp_path, limit=1)
    assert names(tmp_path) == ["checkpoint-10", "checkpoint-30"]


def test_installing_replaces_files_one_by_one_and_leaves_the_rest(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_text("old")
    (tmp_path / "notes.txt").write_text("mine")
    with install_files(tmp_path, 10) as staged:
        (staged / "model.bin").write_text("new")
        assert (tmp_path / "model.bin").read_text() == "old"
    assert (tmp_path / "model.bin").read_text() == "new"
    assert names(tmp_path) == ["model.bin", "notes.txt"]


def test_a_fresh_run_sets_earlier_checkpoints_aside(tmp_path: Path) -> None:
    assert archive_old_checkpoints(tmp_path) is None
    commit(tmp_path, 5)
    assert archive_old_checkpoints(tmp_path) == tmp_path / "earlier-1"
    commit(tmp_path, 5)
    assert archive_old_checkpoints(tmp_path) == tmp_path / "earlier-2"
    assert verify(tmp_path / "earlier-1" / "checkpoint-5") is None


CHILD = """
import resource, sys
from pathlib import Path
from tests.support.small_runs import trainer
run = trainer("mt5", Path(sys.argv[1]), max_steps=4, save_strategy="steps", save_steps=2)
save = run._save_checkpoint
def limited(*args):
    if run.state.global_step == 4:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
    save(*args)
run._save_checkpoint = limited
try:
    run.train()
except BaseException as error:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(type(error).__name__, error.exit_code, error.message)
"""


@pytest.mark.slow
@pytest.mark.parametrize("limit", [3_000, 40_000], ids=["weights", "optimizer"])
def test_a_disk_that_fills_up_while_saving_leaves_the_last_checkpoint(tmp_path: Path, limit: int) -> None:
    """For real: the system refuses to let a file grow, in the weights (safetensors) or in the optimizer (torch)."""
    command = [sys.executable, "-c", CHILD, str(tmp_path), str(limit)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert done.stdout.startswith("InputError 2 checkpoint-4 could not be written"), done.stdout + done.stderr
    assert names(tmp_path) == ["checkpoint-2"]
    assert verify(tmp_path / "checkpoint-2") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_small_disk_that_is_really_full(tmp_path: Path) -> None:
    """A tmpfs with room for about one checkpoint."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=320k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a disk")
    try:
        run = trainer("mt5", disk / "run", max_steps=8, save_strategy="steps", save_steps=1, save_total_limit=None)
        with pytest.raises(InputError, match="No space left on device"):
            run.train()
        assert checkpoints(disk / "run")
        assert all(verify(found) is None for found in checkpoints(disk / "run"))
        assert not list((disk / "run").glob(".saving-*"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)

"""Atomic checkpoints: staged, synced, digested, renamed; a kill leaves the old one or the new one."""

import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from diagnose.common.atomic_write import sync
from trainer.loop.checkpoints.checksums import verify, write_checksums
from trainer.loop.runtime.disk_space import disk_full_error, disk_full_reason, require_room

SAVING = ".saving-"
REMOVING = ".removing-"
NAME = re.compile(r"checkpoint-(\d+)")


def name_of(step: int) -> str:
    """The directory of one step."""
    return f"checkpoint-{step}"


def step_of(directory: Path) -> int:
    """The step of a checkpoint; -1 if it is none."""
    match = NAME.fullmatch(directory.name)
    return int(match.group(1)) if match else -1


def checkpoints(run: Path) -> list[Path]:
    """The checkpoints of a run, oldest first; `verify` checks one."""
    return sorted((found for found in run.glob("checkpoint-*") if found.is_dir() and step_of(found) >= 0), key=step_of)


@contextmanager
def commit_checkpoint(
    final: Path, needed: int, is_main: bool = True, barrier: Callable[[], Any] = lambda: None
) -> Iterator[Path]:
    """A directory to write in, which becomes `final` when the block ends without an error.

    The main process commits; barriers before the first writes, after the last has written, after the rename.
    """
    with _staging(final, needed, is_main) as staged:
        barrier()
        yield staged
        barrier()
        if is_main:
            write_checksums(staged)
            publish(staged, final)
    barrier()


@contextmanager
def install_files(run: Path, needed: int) -> Iterator[Path]:
    """A directory to write in, whose files are then moved into `run`, each atomically."""
    with _staging(run / "model", needed) as staged:
        yield staged
        for path in sorted(path for path in staged.rglob("*") if path.is_file()):
            sync(path)
            target = run / path.relative_to(staged)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
        sync(run)
    shutil.rmtree(staged, ignore_errors=True)


@contextmanager
def _staging(final: Path, needed: int, is_main: bool = True) -> Iterator[Path]:
    """A directory beside `final`, removed if the block fails; a full disk is an InputError."""
    staged = final.with_name(SAVING + final.name)
    if is_main:
        require_room(final.parent, needed, final.name)
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
    try:
        yield staged
    except Exception as error:
        reason = disk_full_reason(error)
        failure = disk_full_error(final.parent, needed, final.name, reason) if reason else None
        shutil.rmtree(staged, ignore_errors=True)
        if failure is None:
            raise
        raise failure from error


def publish(staged: Path, final: Path) -> None:
    """Rename a staged directory to its place; one that is there already is removed first."""
    if final.exists():
        remove_atomically(final)
    staged.rename(final)
    sync(final.parent)


def rotate(run: Path, limit: int | None, keep: Iterable[Path]) -> None:
    """Remove the oldest checkpoints beyond `limit`, never one of `keep`."""
    keep_names = {path.name for path in keep}
    found = checkpoints(run)
    spare = [path for path in found if path.name not in keep_names]
    for path in spare[: max(0, len(found) - limit)] if limit else []:
        remove_atomically(path)


def recover(run: Path, limit: int | None = None) -> None:
    """After a kill: publish the checkpoint that lacked only its rename; remove partial and surplus ones."""
    for staged in run.glob(f"{SAVING}*"):
        final = staged.with_name(staged.name.removeprefix(SAVING))
        if step_of(final) >= 0 and not final.exists() and verify(staged) is None:
            publish(staged, final)
        shutil.rmtree(staged, ignore_errors=True)
    for left in run.glob(f"{REMOVING}*"):
        shutil.rmtree(left, ignore_errors=True)
    found = checkpoints(run)
    if limit and len(found) > limit and verify(found[-1]) is None:
        rotate(run, limit, [found[-1], *_best_of(found[-1])])


def _best_of(checkpoint: Path) -> list[Path]:
    """The best checkpoint when this one was saved; none if it did not say."""
    try:
        step = json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))["best_global_step"]
        return [checkpoint.with_name(name_of(step))]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def archive_old_checkpoints(run: Path) -> Path | None:
    """Move the checkpoints of an earlier run to earlier-N; None if there are none."""
    found = checkpoints(run)
    if not found:
        return None
    numbers = [int(path.name.removeprefix("earlier-")) for path in run.glob("earlier-*") if path.name[8:].isdigit()]
    archive = run / f"earlier-{max(numbers, default=0) + 1}"
    archive.mkdir()
    for path in found:
        path.rename(archive / path.name)
    return archive


def remove_atomically(directory: Path) -> None:
    """Rename a directory, then remove it: a kill never leaves half of it under its name."""
    renamed = directory.with_name(REMOVING + directory.name)
    shutil.rmtree(renamed, ignore_errors=True)
    directory.rename(renamed)
    shutil.rmtree(renamed, ignore_errors=True)

"""Committed checkpoints: staged beside their place, synced, digested, renamed. A kill leaves the old or the new."""

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from trainer.loop.checkpoints.checksums import sync, verify, write_checksums
from trainer.loop.runtime.disk_space import disk_full_error, disk_full_reason, require_room

SAVING = ".saving-"
REMOVING = ".removing-"
NAME = re.compile(r"checkpoint-(\d+)")


def name_of(step: int) -> str:
    """The directory of one step."""
    return f"checkpoint-{step}"


def step_of(directory: Path) -> int:
    """The step a checkpoint was written at, -1 for what is none."""
    match = NAME.fullmatch(directory.name)
    return int(match.group(1)) if match else -1


def checkpoints(run: Path) -> list[Path]:
    """The checkpoints of a run, oldest first; whether they are whole is `verify`'s to say."""
    return sorted((found for found in run.glob("checkpoint-*") if found.is_dir() and step_of(found) >= 0), key=step_of)


@contextmanager
def commit_checkpoint(
    final: Path, needed: int, leads: bool = True, meet: Callable[[], Any] = lambda: None
) -> Iterator[Path]:
    """Give a directory to write in that becomes `final` when the block ends well.

    With many processes one leads and all meet: before the first writes, after the last has written, after the rename.
    """
    with _staging(final, needed, leads) as staged:
        meet()
        yield staged
        meet()
        if leads:
            write_checksums(staged)
            publish(staged, final)
    meet()


@contextmanager
def install_files(run: Path, needed: int) -> Iterator[Path]:
    """Give a directory to write in whose files take their places in `run`, one by one, each whole."""
    with _staging(run / "model", needed) as staged:
        yield staged
        for path in sorted(path for path in staged.rglob("*") if path.is_file()):
            sync(path)
            place = run / path.relative_to(staged)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.replace(place)
        sync(run)
    shutil.rmtree(staged, ignore_errors=True)


@contextmanager
def _staging(final: Path, needed: int, leads: bool = True) -> Iterator[Path]:
    """A directory beside `final` that vanishes when the block fails; a full disk is told in one sentence."""
    staged = final.with_name(SAVING + final.name)
    if leads:
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
    """Put a sealed directory in its place; one that stands there already steps aside first."""
    if final.exists():
        remove_atomically(final)
    staged.rename(final)
    sync(final.parent)


def rotate(run: Path, limit: int | None, keep: Iterable[Path]) -> None:
    """Remove the oldest beyond `limit`, never one of `keep`: the one just committed and the best."""
    kept = {path.name for path in keep}
    found = checkpoints(run)
    spare = [path for path in found if path.name not in kept]
    for path in spare[: max(0, len(found) - limit)] if limit else []:
        remove_atomically(path)


def recover(run: Path) -> None:
    """After a kill: finish the commit that only lacked its rename, clear away the rest."""
    for staged in run.glob(f"{SAVING}*"):
        final = staged.with_name(staged.name.removeprefix(SAVING))
        if step_of(final) >= 0 and not final.exists() and verify(staged) is None:
            publish(staged, final)
        shutil.rmtree(staged, ignore_errors=True)
    for left in run.glob(f"{REMOVING}*"):
        shutil.rmtree(left, ignore_errors=True)


def archive_old_checkpoints(run: Path) -> Path | None:
    """Move the checkpoints of an earlier run out of the way of a fresh one; nothing is deleted."""
    found = checkpoints(run)
    if not found:
        return None
    numbers = [int(path.name.removeprefix("earlier-")) for path in run.glob("earlier-*") if path.name[8:].isdigit()]
    aside = run / f"earlier-{max(numbers, default=0) + 1}"
    aside.mkdir()
    for path in found:
        path.rename(aside / path.name)
    return aside


def remove_atomically(directory: Path) -> None:
    """Remove a directory so that a kill never leaves half of it under its name."""
    doomed = directory.with_name(REMOVING + directory.name)
    shutil.rmtree(doomed, ignore_errors=True)
    directory.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)

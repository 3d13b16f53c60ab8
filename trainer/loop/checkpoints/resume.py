"""The checkpoint to resume from: the newest that verifies, or the one named, if it is of this run."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.errors import InputError
from diagnose.common.flat_keys import differences
from trainer.loop.checkpoints.loop_state import loop_state_of
from trainer.loop.checkpoints.store import checkpoints, step_of, verify

if TYPE_CHECKING:
    from trainer.config import Config

log = logging.getLogger(__name__)

AUTO = "auto"
FOREIGN = ("model", "audio", "data")  # another value there makes it another run
HARMLESS = ("report_to", "logging_steps", "save_strategy", "save_steps", "save_total_limit")


def resume_point(resume: str | Path | None, run: Path) -> Path | None:
    """The checkpoint to start from, None to start at the beginning."""
    if resume is None:
        return None
    return newest(run) if str(resume) == AUTO else checked_checkpoint(Path(resume))


def newest(run: Path) -> Path | None:
    """The newest checkpoint that verifies; logs why newer ones are passed over."""
    for checkpoint in reversed(checkpoints(run)):
        reason = verify(checkpoint)
        if reason is None:
            log.info("resuming from %s", checkpoint)
            return checkpoint
        log.warning("skipping %s: %s", checkpoint, reason)
    log.info("%s has no checkpoint to resume from: starting at the beginning", run)
    return None


def checked_checkpoint(checkpoint: Path) -> Path:
    """The checkpoint named by --resume; refuses one that cannot be used."""
    reason = verify(checkpoint)
    if reason and checkpoints(checkpoint):
        reason = f"it contains checkpoints but is not a checkpoint (the latest is {checkpoints(checkpoint)[-1].name})"
    if reason is None and step_of(checkpoint) < 0:
        reason = "its name is not checkpoint-<step>"
    if reason:
        raise InputError(f"--resume {checkpoint}: {reason}; pass a complete checkpoint, or use --resume auto")
    return checkpoint


def require_resumable(resume: str | None, config: Config) -> None:
    """Refuse a checkpoint that cannot be resumed, before anything else is done."""
    if resume is not None and resume != AUTO:
        changed_settings(checked_checkpoint(Path(resume)), config)


def require_same_run(checkpoint: Path, config: Config) -> None:
    """Refuse the checkpoint of another model; warn of other settings that have changed."""
    changed = changed_settings(checkpoint, config)
    for key in [key for key in changed if key.startswith(("training.", "dataloader.group"))]:
        if key.removeprefix("training.") not in HARMLESS:
            log.warning("%s was %s and is %s now, so this is no exact continuation of the run", key, *changed[key])


def changed_settings(checkpoint: Path, config: Config) -> dict[str, list[object]]:
    """Both values of each setting that has changed; refuses the checkpoint of another model."""
    from trainer.config import load
    from trainer.models.bundle import RESOLVED

    if not (checkpoint / RESOLVED).is_file():
        raise InputError(f"{checkpoint} has no {RESOLVED}, so it is not from this trainer; use --resume auto")
    then = load(checkpoint / RESOLVED).config.model_dump(mode="json")
    changed = {key: values for key, *values in differences(then, config.model_dump(mode="json"))}
    foreign = [key for key in changed if key.split(".")[0] in FOREIGN]
    if foreign:
        key, (was, now) = foreign[0], changed[foreign[0]]
        raise InputError(
            f"{checkpoint} belongs to another run: {key} was {was} and is {now} now; resume with its configuration "
            "(config.resolved.yaml next to it), or start in another output.dir"
        )
    return changed


def warn_of_changes(checkpoint: Path, now: dict[str, int]) -> None:
    """Warn if the number of rows or processes has changed: the order of batches is another then."""
    then = loop_state_of(checkpoint)["circumstances"]
    for what, number in now.items():
        if then[what] != number:
            log.warning(
                "there were %d %s and are %d now, so the resumed run is not bit-identical", then[what], what, number
            )

"""Loads weights and states of a checkpoint; transformers itself passes over a missing state in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from trainer.loop.checkpoints.state_files import (
    OPTIMIZER,
    SCALER,
    explain_unreadable,
    require_optimizer_of,
    require_scheduler,
    require_states,
    rng_name,
)
from trainer.loop.trainer_host import TrainerHost


class StateFilesMixin(TrainerHost):
    """Refuses weights and states that are missing, damaged or of another run."""

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        if checkpoint is None:
            return
        folder = Path(checkpoint)
        require_states(folder, self)
        require_scheduler(self, folder)
        with explain_unreadable(folder / OPTIMIZER):
            super()._load_optimizer_and_scheduler(checkpoint)
        require_optimizer_of(self, folder)

    def _load_scaler(self, checkpoint: str | None) -> None:
        with explain_unreadable(Path(str(checkpoint)) / SCALER):
            super()._load_scaler(checkpoint)

    def _load_rng_state(self, checkpoint: str | None) -> None:
        with explain_unreadable(Path(str(checkpoint)) / rng_name(self)):
            super()._load_rng_state(checkpoint)

    def _issue_warnings_after_load(self, load_result: Any) -> None:
        """Refuses weights that do not fit; a tied weight is in the file under its other name."""
        named = dict(self.model.named_parameters(remove_duplicate=False))
        loaded = {id(value) for name, value in named.items() if name not in load_result.missing_keys}
        missing = [name for name in load_result.missing_keys if id(named.get(name)) not in loaded]
        if missing or load_result.unexpected_keys:
            unexpected = load_result.unexpected_keys
            raise InputError(
                f"the checkpoint is from another model ({len(missing)} missing keys, {len(unexpected)} unexpected "
                f"keys, such as {[*missing, *unexpected][0]}); resume with the configuration of its run"
            )

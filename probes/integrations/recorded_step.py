"""The replay of a step that a GuardCallback recorded: its weights, batches and RNG states, in the user's own run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from diagnose.common.errors import InputError
from diagnose.engine.context import FactError
from diagnose.engine.engine import installed
from probes.facts.core.batches import copy_batch, to_device
from probes.facts.nonfinite.traced_step import AutocastSetup, training_attempt, unwrapped
from probes.guards.recording import FILE, FORMAT, restore_rng


@dataclass(frozen=True)
class ForeignBatch:
    """One batch of the step; `loss` as it was recorded."""

    batch: Any
    rng_states: Mapping[str, Any]
    loss: float | None
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class ForeignStep:
    """A recorded step of somebody else's trainer, with the model and the loss of a --subject."""

    step: int
    precision: str
    setup: AutocastSetup
    micro_batches: tuple[ForeignBatch, ...]
    optimizer: Any = None  # the guard looks before the update

    def facts(self, micro: ForeignBatch, precision: str) -> dict[str, Any]:
        """The facts from which nan-bisect searches one batch."""

        def compute_loss(model: Any, batch: Any) -> Any:
            restore_rng(micro.rng_states)
            return self.setup.compute_loss(model, batch)

        return {"model": self.setup.model, "compute_loss": compute_loss, "batch": micro.batch}

    def loss(self, micro: ForeignBatch) -> float:
        """The loss of one batch, in the precision and with the RNG states of the run."""
        with training_attempt(self.setup), self.setup.autocast():
            restore_rng(micro.rng_states)
            return float(self.setup.compute_loss(self.setup.model, copy_batch(micro.batch)).detach())

    def first_nonfinite_module(self, micro: ForeignBatch) -> str:
        """Not looked for: the origin names the place in the batch."""
        return ""


def is_foreign(folder: Path) -> bool:
    """Whether a GuardCallback wrote it, and not our own trainer."""
    return (folder / FILE).is_file()


def open_foreign_step(folder: Path, facts: Mapping[str, Any]) -> ForeignStep:
    """The recording in the run that these facts describe; refuses one of another model."""
    held = _read(folder)
    try:
        setup = installed().context(facts).get("step_setup")
    except FactError as reason:
        raise InputError(f"{folder} needs the model of the run: {reason.reason}; return it from --subject") from reason
    model = unwrapped(setup.model)
    _load(folder, model, held["weights"])
    device = next((value.device for value in model.parameters()), torch.device("cpu"))
    subject = AutocastSetup(**{**vars(setup), "model": model}, precision=held["precision"])
    losses = [*held["losses"], *[None] * len(held["batches"])]
    made = zip(held["batches"], held["rng_states"], losses, strict=False)
    batches = tuple(ForeignBatch(to_device(batch, device), states, loss) for batch, states, loss in made)
    return ForeignStep(held["step"], held["precision"], subject, batches)


def _read(folder: Path) -> dict[str, Any]:
    try:
        held = torch.load(folder / FILE, map_location="cpu", weights_only=True)
    except Exception as error:
        reason = f"{folder / FILE} cannot be read ({type(error).__name__})"
        raise InputError(f"{reason}: pass a complete recording (recordings/step-<number> of the run)") from error
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise InputError(
            f"{folder / FILE} is not a recording of this version: pass recordings/step-<number> of the run"
        )
    return held


def _load(folder: Path, model: torch.nn.Module, weights: Mapping[str, torch.Tensor]) -> None:
    own = {name: value for name, value in model.state_dict().items() if isinstance(value, torch.Tensor)}
    shapes, recorded = ({name: tuple(value.shape) for name, value in held.items()} for held in (own, weights))
    odd = sorted({name for name in shapes.keys() | recorded.keys() if shapes.get(name) != recorded.get(name)})
    if odd:
        found, expected = shapes.get(odd[0], "missing"), recorded.get(odd[0], "missing")
        raise InputError(f"{folder} is of another model: {odd[0]} is {found} in the --subject and {expected} recorded")
    with torch.no_grad():
        for name, value in own.items():
            value.copy_(weights[name])

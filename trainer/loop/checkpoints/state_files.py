"""The states beside the weights of a checkpoint: every file there, readable, and of this run; else one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

import torch
from transformers import TrainerState

from diagnose.common.errors import InputError, short_error
from trainer.loop.checkpoints.loop_state import loop_state_of

if TYPE_CHECKING:
    from trainer.loop.trainer_host import TrainerHost

OPTIMIZER, SCHEDULER, SCALER, STATE = "optimizer.pt", "scheduler.pt", "scaler.pt", "trainer_state.json"
REMEDY = "resume from another checkpoint with --resume"


@contextmanager
def explain_unreadable(path: Path) -> Iterator[None]:
    """Any error of reading a state becomes one sentence that names its file: what a file holds is not our fault."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{path}: it is no state of this run ({_reason(error)}); {REMEDY}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, UnpicklingError):
        return "a pickle of more than tensors, which is never loaded"
    return short_error(error).splitlines()[0].partition(". ")[0]


def require_states(checkpoint: Path, trainer: TrainerHost) -> None:
    """Refuses a checkpoint without the states that an exact continuation needs."""
    step = saved_step(checkpoint)
    same_processes = loop_state_of(checkpoint)["circumstances"].get("processes") == trainer.args.world_size
    names = [OPTIMIZER, SCHEDULER, *([rng_name(trainer)] if same_processes else [])]
    if trainer.accelerator.scaler is not None:
        names.append(SCALER)
    elif (checkpoint / SCALER).exists():
        raise InputError(f"{checkpoint / SCALER}: it is of a run with training.fp16, and here it is false; set it")
    for name in names:
        if not (checkpoint / name).is_file():
            raise InputError(f"{checkpoint}: {name} is missing, so step {step} cannot be continued; {REMEDY}")


def rng_name(trainer: TrainerHost) -> str:
    """The file of the RNG states of this process."""
    args = trainer.args
    return f"rng_state_{args.process_index}.pth" if args.world_size > 1 else "rng_state.pth"


def saved_step(checkpoint: Path) -> int:
    """The step in trainer_state.json, which must be that of the directory's name."""
    from trainer.loop.checkpoints.store import step_of

    with explain_unreadable(checkpoint / STATE):
        state = TrainerState.load_from_json(str(checkpoint / STATE))
        step, logged = state.global_step, [line["step"] for line in state.log_history]
    complete = step == step_of(checkpoint) and isinstance(state.train_batch_size, int)
    if not complete or any(not isinstance(at, int) or at > step for at in logged):
        raise InputError(f"{checkpoint / STATE}: it is no state of step {step_of(checkpoint)}; {REMEDY}")
    return step


def require_optimizer_of(trainer: TrainerHost, checkpoint: Path) -> None:
    """After loading: moments of other shapes would fail in the first step, and empty ones would pass in silence."""
    optimizer: Any = trainer.optimizer
    path, states = checkpoint / OPTIMIZER, optimizer.state
    if not states:
        raise InputError(f"{path}: it holds no state of any parameter; {REMEDY}")
    for parameter, state in states.items():
        for name, value in state.items() if isinstance(state, dict) else ():
            if isinstance(value, torch.Tensor) and value.ndim and value.shape != parameter.shape:
                shapes = f"{name} of shape {tuple(value.shape)} for a parameter of shape {tuple(parameter.shape)}"
                raise InputError(f"{path}: it is of another model ({shapes}); {REMEDY}")
    steps, scheduler = saved_step(checkpoint), _schedule(trainer).state_dict()
    if not 0 <= scheduler.get("last_epoch", 0) <= steps:
        raise InputError(
            f"{checkpoint / SCHEDULER}: it is of step {scheduler['last_epoch']}, expected at most {steps}; {REMEDY}"
        )


def require_scheduler(trainer: TrainerHost, checkpoint: Path) -> None:
    """Before loading: torch takes any dict for the state of a schedule."""
    path = checkpoint / SCHEDULER
    with explain_unreadable(path):
        found = torch.load(path, weights_only=True, map_location="cpu")
        lost = _schedule(trainer).state_dict().keys() - found.keys()
    if lost:
        raise InputError(f"{path}: it is of another schedule, without {', '.join(sorted(lost))}; {REMEDY}")


def _schedule(trainer: TrainerHost) -> Any:
    return trainer.lr_scheduler

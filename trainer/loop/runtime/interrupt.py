"""Ctrl-C, and a cluster's SIGTERM: the step is finished, a checkpoint is saved, and how to go on is said."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

if TYPE_CHECKING:
    from transformers import TrainerControl, TrainerState

NOTED = b"\nending after this step, with a checkpoint; once more ends at once\n"
STEPS_BETWEEN_VOTES = 10


class InterruptCallback(TrainerCallback):
    """Notes the first signal and acts on it between two steps; the second one ends the process at once."""

    def __init__(self, vote: Callable[[bool], bool] | None = None) -> None:
        self.noted = self.ending = False
        self.vote = vote

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Only while steps are made: before and after, Ctrl-C is Python's own."""
        owner = os.getpid()

        def note(number: int, frame: FrameType | None) -> None:
            if os.getpid() == owner:  # workers are forks and inherit this
                self.noted = True
                signal.signal(number, signal.SIG_DFL)
                os.write(2, NOTED)

        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Many processes get the signal at different steps, so they agree now and then; one decides for itself."""
        alone, due = self.vote is None, state.global_step % STEPS_BETWEEN_VOTES == 0
        self.ending = self.noted if alone else due and self.vote(self.noted)
        if self.ending:
            control.should_save = control.should_training_stop = True

    def on_epoch_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Leaving in the midst of an epoch is not its end: it is evaluated when it is."""
        if self.ending and state.epoch != int(state.epoch) and state.global_step < state.max_steps:
            control.should_evaluate = control.should_save = control.should_log = False

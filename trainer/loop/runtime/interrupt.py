"""SIGINT and SIGTERM: finish the step, save a checkpoint, print how to resume."""

from __future__ import annotations

import _thread
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from diagnose.common.display import display

if TYPE_CHECKING:
    from transformers import TrainerControl, TrainerState

NOTICE = "ending after this step, with a checkpoint; once more ends at once"
STEPS_BETWEEN_SYNCS = 10


class InterruptCallback(TrainerCallback):
    """Stops after the current step at the first signal; the second one ends the process at once."""

    def __init__(self, any_process: Callable[[bool], bool] | None = None) -> None:
        self.requested = self.stopping = False
        self.any_process = any_process

    @contextmanager
    def handle_signals(self) -> Iterator[None]:
        """Handle the signals while steps are made; restores the handlers."""
        owner = os.getpid()

        def handle(number: int, frame: FrameType | None) -> None:
            if os.getpid() == owner:  # workers are forks and inherit this
                self.requested = True
                signal.signal(number, signal.SIG_DFL)
                # Above the bar, by a thread: the step that was interrupted may be printing and hold the locks.
                _thread.start_new_thread(display.print_line, (NOTICE,))

        before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Stops if a signal came; several processes agree on it every few steps."""
        if self.any_process is None:
            self.stopping = self.requested
        else:
            self.stopping = state.global_step % STEPS_BETWEEN_SYNCS == 0 and self.any_process(self.requested)
        if self.stopping:
            control.should_save = control.should_training_stop = True

    def on_epoch_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Does not evaluate, save or log at a stop in the middle of an epoch."""
        if self.stopping and state.epoch != int(state.epoch) and state.global_step < state.max_steps:
            control.should_evaluate = control.should_save = control.should_log = False

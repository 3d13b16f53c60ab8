"""Callbacks that report: log lines, metrics on disk, a warning when the loss no longer falls."""

from __future__ import annotations

import json
import logging
import math
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from transformers import EarlyStoppingCallback, TrainerCallback
from transformers.trainer_callback import ExportableState

from diagnose.common.atomic_write import write_files
from diagnose.common.progress import Advance, progress
from trainer.loop.phase_callbacks import SaveAfterEpochCallback, phase_callbacks
from trainer.loop.reporters import reporters
from trainer.loop.runtime.out_of_memory import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from transformers import TrainerControl, TrainerState

    from trainer.models.bundle import ModelBundle

log = logging.getLogger(__name__)

FIRST = ("loss", "eval_loss", "train_loss")
SPEED = ("runtime", "samples_per_second", "steps_per_second")
FIRST_STEPS = 10  # each has a line of its own: what is wrong in them was wrong before the run
SHORT = ("loss", "grad_norm")
ADVICE = "look at the data, and try another training.learning_rate"
QUIET = ("epoch", "step", *(f"{kind}_{name}" for kind in ("eval", "train") for name in SPEED))


def callbacks(bundle: ModelBundle, evaluates: bool) -> list[TrainerCallback]:
    """The callbacks of a configuration, in the order in which they run."""
    training, output = bundle.config.training, bundle.config.output
    chosen = [SaveAfterEpochCallback(), LoggingCallback(), ConvergenceMonitorCallback(), *phase_callbacks(bundle)]
    if training.early_stopping_patience and evaluates:
        chosen.append(EarlyStoppingCallback(training.early_stopping_patience))
    name = output.experiment_name
    chosen += reporters(training.report_to, output.dir / "logs")
    return [*chosen, MetricsSaveCallback(output.dir / "metrics" / f"{name}_metrics.json", name)]


class LoggingCallback(TrainerCallback):
    """Logs a line for each of the first steps, every log and evaluation, and shows the progress."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._advance: Advance = lambda count=1: None

    def on_train_begin(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        left = state.max_steps - state.global_step
        if state.is_world_process_zero and left > 0:
            what = f"training from step {state.global_step}" if state.global_step else "training"
            self._advance = self._open.enter_context(progress(what, left))

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._advance(1)
        control.should_log = control.should_log or state.global_step <= FIRST_STEPS

    def on_log(self, args: Any, state: TrainerState, control: TrainerControl, logs: Any = None, **_: Any) -> None:
        if state.is_world_process_zero:
            line = f"step {state.global_step}/{state.max_steps}, epoch {state.epoch or 0:.2f}: "
            if "loss" in logs and state.global_step % args.logging_steps:  # a first step: 80 columns
                log.info("%s%s", line, format_logs({name: logs[name] for name in SHORT if name in logs}))
            else:
                log.info("%s%s%s", line, format_logs(logs), f"; {memory_text()}" * ("loss" in logs))

    def on_train_end(self, *_: Any, **__: Any) -> None:
        self.close()

    def close(self) -> None:
        """Release the terminal, also when the run ends in an error."""
        self._open.close()


def format_logs(logs: dict[str, Any]) -> str:
    """The figures of one line, the loss first."""
    names = [*(name for name in FIRST if name in logs), *(name for name in logs if name not in (*FIRST, *QUIET))]
    return ", ".join(
        f"{name} {logs[name]:.4g}" if isinstance(logs[name], float) else f"{name} {logs[name]}" for name in names
    )


class MetricsSaveCallback(TrainerCallback):
    """Writes the history of all metrics to one JSON file, atomically."""

    def __init__(self, path: Path, experiment: str) -> None:
        self.path, self.experiment = path, experiment
        self._last: TrainerState | None = None

    def on_log(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._last = state

    def on_evaluate(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self.on_train_end(args, state, control)

    def on_train_end(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            best = {"best_metric": state.best_metric, "best_step": state.best_global_step}
            content = {"experiment": self.experiment, "steps": state.global_step, **best, "history": state.log_history}
            write_files({self.path: json.dumps(content, indent=1) + "\n"})

    def close(self) -> None:
        """Write also when the run ends in an error: what it logged before is what its author has."""
        if self._last is not None:
            self.on_train_end(None, self._last, None)


class ConvergenceMonitorCallback(TrainerCallback, ExportableState):
    """Warns when the training loss has not fallen for `patience` steps."""

    def __init__(self, patience: int = 500) -> None:
        self.patience = patience
        self.best, self.best_step, self.told_step = math.inf, 0, 0

    def on_log(self, args: Any, state: TrainerState, control: TrainerControl, logs: Any = None, **_: Any) -> None:
        loss, step = (logs or {}).get("loss"), state.global_step
        if loss is None or step <= FIRST_STEPS:  # the loss of one batch alone varies more than the mean of many
            return
        if loss < self.best:
            self.best, self.best_step, self.told_step = loss, step, step
        elif step - self.told_step >= self.patience and state.is_world_process_zero:
            self.told_step = step
            bar = f"below {self.best:.4g}" if self.best < math.inf else "a finite number"
            log.warning("step %d: the loss has not been %s for %d steps; %s", step, bar, step - self.best_step, ADVICE)

    def state(self) -> dict[str, Any]:
        names = ("best", "best_step", "told_step")  # keys in trainer_state.json
        return {"args": {"patience": self.patience}, "attributes": {name: getattr(self, name) for name in names}}

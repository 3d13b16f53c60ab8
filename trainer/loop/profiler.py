"""`train --profile`: where the time of a few steps goes, as a table and as a trace for chrome://tracing or Perfetto."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch.profiler import ProfilerActivity, profile, supported_activities
from transformers import TrainerCallback

from diagnose.common.atomic_write import write_files

if TYPE_CHECKING:
    from transformers import TrainerControl, TrainerState

log = logging.getLogger(__name__)

WARMUP, STEPS = 2, 5  # steps that are not measured, as they allocate and compile; steps that are
ROWS = 20  # operations in the table


class ProfilerCallback(TrainerCallback):
    """Profiles the steps after the first two of this process; the run goes on afterwards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._first = 0
        self._profiler: profile | None = None

    def on_train_begin(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._first = state.global_step + WARMUP

    def on_step_begin(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if state.global_step == self._first and state.is_world_process_zero:
            known = (ProfilerActivity.CPU, ProfilerActivity.CUDA)
            self._profiler = profile(activities=[one for one in known if one in supported_activities()])
            self._profiler.start()

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if state.global_step == self._first + STEPS:
            self._write(state.global_step)

    def on_train_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._write(state.global_step)
        if state.global_step <= self._first:
            log.warning("--profile: expected more than %d steps to be left; nothing was profiled", WARMUP)

    def close(self) -> None:
        """Stop a profiler that an error left running."""
        if self._profiler is not None:
            self._profiler.stop()
            self._profiler = None

    def _write(self, last: int) -> None:
        if self._profiler is None:
            return
        found = self._profiler
        self.close()
        self.folder.mkdir(parents=True, exist_ok=True)
        device = "cuda" if ProfilerActivity.CUDA in supported_activities() else "cpu"
        table = found.key_averages().table(sort_by=f"self_{device}_time_total", row_limit=ROWS)
        title = f"steps {self._first + 1} to {last}"
        write_files({self.folder / "table.txt": f"{title}\n{table}\n"})
        found.export_chrome_trace(str(self.folder / "trace.json"))
        log.info("profile of %s: %s, %s\n%s", title, self.folder / "table.txt", self.folder / "trace.json", table)

"""Polars keeps threads that do not survive a fork: a preflight of plain rows leaves none behind."""

import subprocess
import sys

ROWS = """
import time
import diagnose
from probes.facts.core.fork import _polars_has_run, run_polars
rows = [{"id": str(n), "text": f"sentence number {n} of a text that is long enough"} for n in range(40)]
report = diagnose.preflight(stages=["data"], train_rows=rows, eval_rows=rows[:9], progress=False)
assert any(outcome.ran for outcome in report.outcomes) and not _polars_has_run()

def in_columns():
    import polars
    return polars.DataFrame({"a": [1, 2]}).select(polars.col("a").sum()).item()

assert run_polars(in_columns) == 3 and not _polars_has_run()
assert in_columns() == 3
ends = time.monotonic() + 30
while not _polars_has_run() and time.monotonic() < ends:  # a thread takes its name when it begins
    time.sleep(0.01)
assert _polars_has_run() and run_polars(in_columns) == 3
"""


def test_no_thread_of_polars_is_left_that_a_fork_would_wait_for() -> None:
    done = subprocess.run([sys.executable, "-c", ROWS], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr

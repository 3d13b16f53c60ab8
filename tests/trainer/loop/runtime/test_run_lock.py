"""One run for one directory; a killed one leaves nothing that blocks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from diagnose.common.errors import InputError
from tests.support.small_runs import ROOT
from trainer.loop.runtime.run_lock import hold_run_lock, require_free

HOLDER = """
import os, sys, time
from pathlib import Path
from trainer.loop.runtime.run_lock import hold_run_lock
with hold_run_lock(Path(sys.argv[1])):
    if len(sys.argv) > 2 and os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    print("held", flush=True)
    time.sleep(60)
"""


def hold(run: Path, *more: str) -> subprocess.Popen[str]:
    """Another process that has the lock."""
    command = [sys.executable, "-c", HOLDER, str(run), *more]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def test_a_second_run_is_refused_by_a_sentence_that_names_the_first(tmp_path: Path) -> None:
    process = hold(tmp_path)
    try:
        with pytest.raises(InputError) as refused, hold_run_lock(tmp_path):
            pytest.fail("two runs in one directory")
        assert f"{tmp_path} is in use by another run (pid {process.pid} on " in refused.value.message
        assert "set another output.dir" in refused.value.message
        assert refused.value.exit_code == 2
    finally:
        end(process)


def test_asking_whether_a_directory_is_free_leaves_nothing_in_it(tmp_path: Path) -> None:
    require_free(tmp_path / "run")
    assert not (tmp_path / "run").exists()
    process = hold(tmp_path)
    try:
        with pytest.raises(InputError, match="is in use by another run"):
            require_free(tmp_path)
    finally:
        end(process)
    require_free(tmp_path)


def test_a_run_that_was_killed_does_not_block(tmp_path: Path) -> None:
    process = hold(tmp_path)
    process.kill()
    process.wait(10)
    with hold_run_lock(tmp_path):
        pass


def test_a_worker_that_outlives_a_killed_run_does_not_block(tmp_path: Path) -> None:
    """Data workers are forks of the run and would hold its lock for the seconds they need to notice its end."""
    process = hold(tmp_path, "with a fork")
    os.kill(process.pid, signal.SIGKILL)
    try:
        process.wait(10)
        with hold_run_lock(tmp_path):
            pass
    finally:
        end(process)


def test_the_lock_is_let_go_at_the_end(tmp_path: Path) -> None:
    for _ in range(2):
        with hold_run_lock(tmp_path):
            pass


def test_a_directory_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(InputError, match=r"output\.dir .*file/run is not writable \(Not a directory\)"),
        hold_run_lock(tmp_path / "file" / "run"),
    ):
        pytest.fail("there is no such directory")

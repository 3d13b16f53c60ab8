"""Several processes started by `diagnose preflight --processes` and by the drill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from diagnose.cli import main
from diagnose.drill.results import TrialStatus
from diagnose.drill.trial import healthy_trial, trial
from diagnose.engine.engine import installed
from probes.healthy import healthy
from tests.probes.distributed.support import FAULTS, only

SUBJECT = """
import os, time
import torch
from pathlib import Path
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ROWS = TensorDataset(torch.randn(16, 4), torch.arange(16) % 2)

def facts():
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    loss = lambda model, batch: nn.functional.cross_entropy(model(batch[0]), batch[1])
    step = lambda batch: (loss(model, batch).backward(), torch.optim.SGD(model.parameters(), lr=0.1).step())
    return {"model": model, "train_batches": DataLoader(ROWS, batch_size=2, shuffle=True), "compute_loss": loss,
            "training_step": step}

def drawn():
    from probes.healthy import healthy
    return {name: fact for name, fact in healthy("classifier", torch.initial_seed()).items() if name != "rank_facts"}

def of_a_rank(rank, processes):
    return facts()

def asleep(rank, processes):
    if processes > 1:
        Path(f"{rank}.pid").write_text(str(os.getpid()))
        time.sleep(60)
    return facts()
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "my_shared_project.py").write_text(SUBJECT)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("my_shared_project", None)


def test_a_function_that_knows_no_ranks_is_not_blamed_for_what_may_still_be_done(project):
    words = ["preflight", "--processes", "2", "--stage", "distributed", "--json", "out.json", "--subject"]
    run = CliRunner().invoke(main, [*words, "my_shared_project:facts"])
    assert run.exit_code == 0, run.output
    assert "may not be sharded yet" in (project / "out.json").read_text()
    run = CliRunner().invoke(main, [*words, "my_shared_project:of_a_rank"])
    assert run.exit_code == 1 and "DST002" in run.output, run.output


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_its_parent(project, how):
    command = [str(Path(sys.executable).with_name("diagnose")), "preflight", "--subject", "my_shared_project:asleep"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run = subprocess.Popen([*command, "--processes", "2", "--stage", "distributed"], **quiet)
    pids = [awaited(project / f"{rank}.pid") for rank in range(2)]
    run.send_signal(how)
    assert run.wait(timeout=20) != 0
    until = time.monotonic() + 10
    while any(map(psutil.pid_exists, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(psutil.pid_exists, pids))


def awaited(path):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.05)
    raise TimeoutError(path)


def test_the_drill_starts_processes_where_there_are_cores_for_them(monkeypatch):
    fault = next(fault for fault in FAULTS if fault.probe_id == "DST001")
    build = lambda seed: only(healthy("classifier", seed)) | {"train_batches": healthy("classifier")["train_batches"]}  # noqa: E731
    caught = trial(installed(), build, fault, 0)
    assert caught.ending is TrialStatus.CAUGHT and caught.named and caught.stage == "distributed"
    without = trial(installed(), lambda seed: {"train_batches": build(0)["train_batches"]}, fault, 0)
    assert without.ending is TrialStatus.NOT_APPLICABLE and without.reason == "not given: rank_facts"
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})
    assert "one core" in trial(installed(), build, fault, 0).reason


@pytest.mark.slow
def test_the_drill_of_a_persons_own_function_starts_its_processes_from_one_seed(project):
    words = ["drill", "--subject", "my_shared_project:drawn", "--fault", "share_with*", "--fault", "gradients_not*"]
    run = CliRunner().invoke(main, words)
    assert "2 of 2 caught, 2 named" in run.output and "healthy: 1 of 1 silent" in run.output, run.output


@pytest.mark.slow
def test_the_healthy_twin_is_looked_at_in_two_processes(monkeypatch):
    engine = installed()
    seen = []
    monkeypatch.setattr(type(engine), "examine", watched(type(engine).examine, seen))
    assert healthy_trial(engine, lambda seed: healthy("classifier", seed), 0).alarms == ()
    looked = {outcome.probe for outcome in seen[0].outcomes if outcome.ran}
    assert {"DST001", "DST002", "DST003", "DST004", "DST005"} <= looked


def watched(examine, seen):
    def noted(*given, **named):
        seen.append(examine(*given, **named))
        return seen[-1]

    return noted

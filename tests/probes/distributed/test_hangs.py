"""Processes that wait for each other are ended, and the line they wait in is named."""

import threading
import time
from pathlib import Path

import pytest
import torch

import diagnose
from probes.facts.distributed import hang_watch
from probes.facts.distributed.ranks import measure_ranks
from tests.probes.distributed.support import healthy_rank, look


def test_processes_that_wait_for_each_other_are_ended_and_the_line_is_named(monkeypatch):
    monkeypatch.setattr(hang_watch, "STILL", 3.0)

    def rank_facts(rank, processes):
        def evaluate():
            if rank == 1:
                torch.distributed.barrier()  # alone
            return {}

        return healthy_rank(rank, processes, evaluate=evaluate)

    start = time.monotonic()
    ((finding,), _) = look(rank_facts)
    assert finding.probe == "DST005" and finding.where == "rank 1" and "waits for the others" in finding.message
    code = Path(__file__).read_text().splitlines()
    assert finding.file == __file__ and "# alone" in code[finding.line - 1] and time.monotonic() - start < 15


def test_the_process_that_is_behind_is_told_and_not_the_one_that_is_done(monkeypatch):
    monkeypatch.setattr(hang_watch, "STILL", 3.0)

    def rank_facts(rank, processes):
        return healthy_rank(rank, processes, training_step=lambda batch: torch.distributed.barrier() if rank else None)

    ((finding,), _) = look(rank_facts)
    assert (finding.probe, finding.where) == ("DST004", "rank 1"), finding


@pytest.mark.parametrize("always", [False, True])
def test_a_process_that_stands_still_from_its_start_is_started_again(monkeypatch, tmp_path, always):
    monkeypatch.setattr(hang_watch, "STILL_BUILDING", 2.0)
    lock = threading.Lock()
    lock.acquire()  # as by a thread that has not lived on

    def rank_facts(rank, processes):
        if rank and (always or not (tmp_path / "tried").exists()):
            (tmp_path / "tried").touch()
            lock.acquire()  # for ever
        return healthy_rank(rank, processes)

    report = diagnose.preflight(stages=["distributed"], rank_facts=rank_facts, processes=2)
    if not always:
        assert report.verdict == "go", report.outcomes
        return
    assert report.exit_code == 2 and {outcome.status for outcome in report.outcomes} == {"blocked"}
    line = 1 + next(n for n, text in enumerate(Path(__file__).read_text().splitlines()) if "# for ever" in text)
    assert f"rank 1: a process did not finish its setup at {__file__}:{line}" in report.outcomes[0].reason


def test_reading_slowly_is_not_standing_still(monkeypatch, tmp_path):
    monkeypatch.setattr(hang_watch, "STILL_BUILDING", 2.0)
    (tmp_path / "weights").write_bytes(bytes(40))

    def rank_facts(rank, processes):
        with (tmp_path / "weights").open("rb", buffering=0) as weights:
            while weights.read(4):
                time.sleep(0.4)
        return healthy_rank(rank, processes)

    assert measure_ranks(rank_facts, 2).root is None

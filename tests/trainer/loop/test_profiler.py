"""`train --profile`: a table and a trace of five steps, and the same run."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.support.small_runs import trainer, write_run
from trainer.config import load
from trainer.loop.profiler import ProfilerCallback
from trainer.loop.run import train


def test_a_table_and_a_trace_and_the_same_losses(tmp_path: Path) -> None:
    path = write_run(tmp_path, "mt5", max_steps=8)
    profiled = train(load(path), profile=True)
    table = (tmp_path / "run" / "profile" / "table.txt").read_text()
    assert table.startswith("steps 3 to 7\n") and "aten::" in table and "Self CPU" in table
    events = json.loads((tmp_path / "run" / "profile" / "trace.json").read_text())["traceEvents"]
    assert any(event.get("name") == "aten::embedding" for event in events)
    assert train(load(path)).last_loss == profiled.last_loss


def test_a_run_that_is_too_short_says_so(tmp_path: Path, caplog) -> None:
    run = trainer("mt5", tmp_path, max_steps=2)
    run.add_callback(ProfilerCallback(tmp_path / "profile"))
    run.train()
    assert any("expected more than 2 steps" in record.getMessage() for record in caplog.records)
    assert not (tmp_path / "profile").exists() and not torch.autograd._profiler_enabled()

"""`diagnose precision`, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import diagnose
from diagnose.cli import main

SUBJECT = """
from probes.healthy import healthy

def sound():
    facts = healthy("classifier")
    return {name: facts[name] for name in ("model", "train_batches", "compute_loss")}

def broken():
    facts = sound()
    facts["model"][0].register_forward_hook(lambda module, given, x: x * 1e6 / 1e6)
    return facts

def squared():
    facts = sound()
    facts["model"][0].register_forward_hook(lambda module, given, x: x + 1e-9 * ((x * 0 + 300) ** 2))
    return facts

def not_finite():
    facts = sound()
    facts["model"][0].register_forward_hook(lambda module, given, x: x / (x - x))
    return facts

def without_batches():
    return {**sound(), "train_batches": []}
"""


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "their_run.py").write_text(SUBJECT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "their_run", raising=False)
    return lambda subject, *more: CliRunner().invoke(main, ["precision", "--subject", f"their_run:{subject}", *more])


def test_the_comparison_the_offender_the_set_the_key_and_the_code_are_told(ask: Any, tmp_path: Path) -> None:
    told = ask("broken", "--json", "found.json")
    assert told.exit_code == 1, told.output
    head = told.stdout.splitlines()
    assert head[0].split() == ["precision", "loss", "relative", "difference"] and head[1].startswith("fp32 ")
    assert "first offender   0 (Linear): mul" in told.stdout and "by the ranges    0 (Linear): mul, 1" in told.stdout
    assert "keep in float32  0  (tried: finite with all of them, not without any one)" in told.stdout
    assert "PRE001 error  0 (Linear)" in told.stdout and "training:\n  keep_fp32: [0]\n" in told.stdout
    assert told.stdout.rstrip().endswith("keep_fp32(model, ['0'])")
    found = json.loads((tmp_path / "found.json").read_text())
    by = {run["name"]: run for run in found["runs"]}
    assert by["fp16 autocast, GPU's list"]["keep_fp32"] == ["0"] and by["fp16 autocast, CPU's list"]["loss"] == "nan"
    rooms = [room["bits"] for room in by["fp16 autocast, GPU's list"]["headroom"]]
    assert rooms == sorted(rooms) and rooms[0] < 0


def test_bf16_bears_what_fp16_does_not(ask: Any) -> None:
    told = ask("broken", "--precision", "bf16")
    assert told.exit_code == 0 and "VERDICT on bf16\nnothing found" in told.stdout


def test_a_cpu_that_overflows_where_a_gpu_does_not_is_said_to(ask: Any) -> None:
    told = ask("squared")
    assert told.exit_code == 0 and "PRE001 warning" in told.stdout and "on a GPU it is finite" in told.stdout
    assert "CONFIGURATION, for fp16 autocast, CPU's list" in told.stdout


def test_a_sound_run_is_sound(ask: Any) -> None:
    told = ask("sound")
    assert told.exit_code == 0 and "nothing found: it holds every value of this batch" in told.stdout
    assert "CODE" not in told.stdout


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [("not_finite", "the loss is not finite in float32 either"), ("without_batches", "nothing could be compared: ")],
)
def test_what_cannot_be_compared_is_bad_input(ask: Any, subject: str, sentence: str) -> None:
    told = ask(subject)
    assert told.exit_code == 2 and sentence in told.stderr and not told.stdout


def test_the_same_from_python() -> None:
    from probes.healthy import healthy

    facts = healthy("classifier")
    found = diagnose.precision(
        model=facts["model"], train_batches=facts["train_batches"], compute_loss=facts["compute_loss"]
    )
    assert found.target == "fp16" and not found.findings and found.runs[0].name == "fp32"

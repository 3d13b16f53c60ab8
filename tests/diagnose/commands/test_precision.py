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
from torch.utils.data import DataLoader, Dataset
from probes.healthy import healthy

def sound():
    facts = healthy("classifier")
    return {name: facts[name] for name in ("model", "train_batches", "compute_loss")}

def in_bf16():
    return {**broken(), "precision": "bf16"}

def in_fp32():
    return {**broken(), "precision": "fp32"}

def in_int8():
    return {**sound(), "precision": "int8"}

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

def file_is_gone():
    return {**sound(), "train_batches": DataLoader(Torn(), 2)}

class Torn(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return open("gone.wav", "rb").read()

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
    assert "first non-finite 0 (Linear): mul" in told.stdout and "by the ranges    0 (Linear): mul, 1" in told.stdout
    assert "keep in float32  0  (tested: finite with all of them, not without any one)" in told.stdout
    assert "PRE001 error  0 (Linear)" in told.stdout and "training:\n  keep_fp32: [0]\n" in told.stdout
    assert told.stdout.rstrip().endswith("keep_fp32(model, ['0'])")
    found = json.loads((tmp_path / "found.json").read_text())
    by = {run["name"]: run for run in found["runs"]}
    assert by["fp16 autocast, GPU's list"]["keep_fp32"] == ["0"] and by["fp16 autocast, CPU's list"]["loss"] == "nan"
    rooms = [room["bits"] for room in by["fp16 autocast, GPU's list"]["headroom"]]
    assert rooms == sorted(rooms) and rooms[0] < 0


def test_bf16_bears_what_fp16_does_not(ask: Any) -> None:
    told = ask("broken", "--precision", "bf16")
    assert told.exit_code == 0 and "VERDICT on bf16\nno findings" in told.stdout


def test_a_subject_that_says_its_precision_is_judged_in_it(ask: Any) -> None:
    assert "VERDICT on bf16\nno findings" in ask("in_bf16").stdout
    assert "VERDICT on fp16" in ask("in_bf16", "--precision", "fp16").stdout
    assert "VERDICT on fp16" in ask("in_fp32").stdout
    wrong = ask("in_int8")
    assert wrong.exit_code == 2 and "precision is 'int8'; expected one of fp32, fp16, bf16" in wrong.stderr


def test_nan_bisect_takes_the_precision_of_the_subject_unless_another_is_asked_for(ask: Any) -> None:
    words = ["nan-bisect", "--subject", "their_run:in_bf16"]
    assert "every value is finite in bf16" in CliRunner().invoke(main, words).stdout
    assert "every value is finite in fp32" in CliRunner().invoke(main, [*words, "--precision", "fp32"]).stdout


def test_a_cpu_that_overflows_where_a_gpu_does_not_is_said_to(ask: Any) -> None:
    told = ask("squared")
    assert told.exit_code == 0 and "PRE001 warning" in told.stdout and "on a GPU it is finite" in told.stdout
    assert "CONFIGURATION, for fp16 autocast, CPU's list" in told.stdout


def test_a_sound_run_is_sound(ask: Any) -> None:
    told = ask("sound")
    assert told.exit_code == 0 and "no findings: every value of this batch fits" in told.stdout
    assert "CODE" not in told.stdout


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [("not_finite", "the loss is not finite in float32 either"), ("without_batches", "nothing could be compared: ")],
)
def test_what_cannot_be_compared_is_bad_input(ask: Any, subject: str, sentence: str) -> None:
    told = ask(subject)
    assert told.exit_code == 2 and sentence in told.stderr and not told.stdout


def test_a_file_that_is_missing_is_named_without_the_way_there(ask: Any) -> None:
    told = ask("file_is_gone")
    assert told.exit_code == 2 and "No such file or directory: 'gone.wav'" in told.stderr
    assert "←" not in told.stderr and told.stderr.count("\n") == 1
    searched = CliRunner().invoke(main, ["nan-bisect", "--subject", "their_run:file_is_gone"])
    assert searched.exit_code == 2 and "gone.wav" in searched.stderr and "←" not in searched.stderr


def test_the_same_from_python() -> None:
    from probes.healthy import healthy

    facts = healthy("classifier")
    found = diagnose.precision(
        model=facts["model"], train_batches=facts["train_batches"], compute_loss=facts["compute_loss"]
    )
    assert found.target == "fp16" and not found.findings and found.runs[0].name == "fp32"

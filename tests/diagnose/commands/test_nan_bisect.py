"""`diagnose nan-bisect`, as a person types it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from diagnose.cli import main
from tests.support.small_runs import write_run

SUBJECT = """
import torch
from torch.utils.data import DataLoader
from probes.healthy import healthy

GIVEN = ("model", "train_batches", "train_dataset", "collate", "optimizer")

def sound():
    facts = healthy("hybrid")
    return {name: facts[name] for name in GIVEN}

def broken():
    facts = sound()
    facts["model"].encoder.layers[0].linear1.register_forward_hook(lambda module, given, x: x / (x - x))
    return facts

def one_row():
    facts = sound()
    rows, collate = [facts["train_dataset"][n] for n in range(36)], facts["collate"]

    def spoil(items):  # one row alone is at fault, in a batch that chance decides
        batch = collate(items)
        batch["feats"][torch.tensor([item is rows[7] for item in items])] = float("inf")
        return batch

    return {**facts, "train_batches": DataLoader(rows, 4, shuffle=True, collate_fn=spoil)}

def without_batches():
    return {**sound(), "train_batches": iter(())}
"""


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "their_model.py").write_text(SUBJECT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "their_model", raising=False)
    return lambda subject, *more: CliRunner().invoke(main, ["nan-bisect", "--subject", f"their_model:{subject}", *more])


def test_the_origin_is_told_with_its_row_operation_line_and_way(ask: Any) -> None:
    told = ask("broken")
    assert told.exit_code == 1
    first, where = told.stdout.splitlines()[:2]
    assert first == "ORIGIN"
    assert where.startswith("LOS054 error  encoder.layers.0.linear1 (Linear), row ") and "of the training set" in where
    assert "operation  div" in told.stdout and "their_model.py:" in told.stdout
    assert "the last modules before it\n" in told.stdout and "more: diagnose explain LOS054" in told.stdout


def test_a_finite_run_is_said_to_be_so(ask: Any) -> None:
    told = ask("sound")
    assert (told.exit_code, told.stdout) == (0, "every value is finite in fp32: all batches\n")
    assert ask("sound", "--batch", "2", "--precision", "bf16").stdout == "every value is finite in bf16: batch 2\n"


@pytest.mark.parametrize(
    ("subject", "more", "sentence"),
    [
        ("sound", ("--batch", "999"), "there are 9 batches, counted from 0"),
        ("without_batches", (), "there is no batch"),
        (
            "sound",
            ("--drill-down", "encoder.layrs.0"),
            "has no module 'encoder.layrs.0' (nearest: encoder.layers.0)",
        ),
        ("sound", ("--drill-down", ""), "has no module ''"),
        ("sound", ("--drill-down", "encoder.layers.0", "--batch", "999"), "there are 9 batches, counted from 0"),
    ],
)
def test_what_cannot_be_searched_is_not_called_finite(
    ask: Any, subject: str, more: tuple[str, ...], sentence: str
) -> None:
    told = ask(subject, *more)
    assert told.exit_code == 2 and sentence in told.stderr and not told.stdout


def test_every_operation_inside_a_module_is_listed(ask: Any) -> None:
    told = ask("sound", "--drill-down", "encoder.layers.0.linear1")
    assert told.exit_code == 0
    assert told.stdout.startswith("encoder.layers.0.linear1 ") and "output [" in told.stdout


def test_the_operations_are_those_of_the_batch_and_precision_that_were_asked_for(ask: Any) -> None:
    inside = ("--drill-down", "encoder.layers.0.linear1")
    first, other = (ask("sound", *inside, "--batch", number) for number in ("0", "3"))
    assert first.stdout.splitlines()[0] == other.stdout.splitlines()[0] and first.stdout != other.stdout
    assert "bfloat16" in ask("sound", *inside, "--precision", "bf16").stdout and "bfloat16" not in first.stdout


def test_the_number_of_a_batch_is_the_same_in_every_look(ask: Any) -> None:
    told = ask("one_row")
    assert told.exit_code == 1 and "(item 7 of the training set)" in told.stdout
    number = next(line.split()[1] for line in told.stdout.splitlines() if line.startswith("batch "))
    others = [str(other) for other in range(9) if str(other) != number][:2]
    inside = ("--drill-down", "subsample", "--batch")
    assert "Inf" in ask("one_row", *inside, number).stdout
    assert all("every value is finite" in ask("one_row", "--batch", other).stdout for other in others)


def spoil(path: Path) -> None:
    samples, rate = soundfile.read(path, dtype="float32")
    samples[100] = np.nan
    soundfile.write(path, samples, rate, subtype="FLOAT")


@pytest.mark.parametrize("workers", [0, 1])
def test_a_clip_that_the_reader_refuses_for_a_bad_sample_is_the_origin(tmp_path: Path, workers: int) -> None:
    config = write_run(tmp_path / "run", "hybrid", num_workers=workers)
    spoil(tmp_path / "run" / "clip-5.wav")
    told = CliRunner().invoke(main, ["nan-bisect", "--config", str(config)])
    assert told.exit_code == 1, told.stderr
    assert told.stdout.splitlines()[1].startswith("LOS050 error  clip-5.wav (audio file), row ")
    assert "the sample at 0.006 s is not finite" in told.stdout and "under 0.1% NaN" in told.stdout
    assert "phase      data" in told.stdout and "\nbatch      " in told.stdout


def test_a_clip_that_is_refused_for_another_reason_is_no_origin(tmp_path: Path) -> None:
    config = write_run(tmp_path / "run", "hybrid")
    (tmp_path / "run" / "clip-5.wav").write_bytes(b"RIFF")
    told = CliRunner().invoke(main, ["nan-bisect", "--config", str(config)])
    assert told.exit_code == 2 and not told.stdout
    assert "clip-5.wav" in told.stderr and "train.csv:7" in told.stderr

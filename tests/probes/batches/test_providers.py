"""Instruments and general providers: what they measure, and that what breaks is a result."""

import math
import os
import signal
import sys
import time

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

import diagnose
from diagnose import Status
from diagnose.engine.engine import installed
from probes.facts.core import batches
from probes.facts.core.batches import copy_batch, draw
from probes.facts.core.finite import bad_counts, is_finite
from probes.facts.core.fork import run_in_fork
from probes.facts.core.types import SpecialIds
from probes.facts.environment.import_check import imports
from probes.facts.labels.label_rows import ignored_ids, padding_length
from probes.healthy import NAMES, healthy


def fact(name, **given):
    return installed().context(given).get(name)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_one_bad_element_anywhere_is_seen(dtype):
    for size in (1, 7, 1000):
        for bad in (float("nan"), float("inf"), float("-inf")):
            for place in {0, size // 2, size - 1}:
                values = torch.randn(size).to(dtype)
                assert is_finite(values)
                values[place] = bad
                assert not is_finite(values)


def test_finite_values_with_an_infinite_sum_are_finite():
    assert is_finite(torch.full((10,), 1e38)) and is_finite(torch.ones(100_000, dtype=torch.float16))
    both = torch.tensor([float("inf"), float("-inf"), float("nan"), 1.0])
    assert not is_finite(both) and bad_counts(both) == (1, 2)
    assert is_finite(torch.tensor([])) and is_finite(torch.tensor([1, 2])) and is_finite(torch.tensor([True]))


def test_the_padded_tail_knows_the_end_token():
    own = SpecialIds(padding=(0,), end=1)
    assert padding_length([5, 6, 1, 0, 0], own) == 2 and padding_length([5, 6, 1, -100], own) == 1
    assert padding_length([5, 0, 6, 1], own) == 0 and padding_length([-100, -100], own) == 2
    shared = SpecialIds(padding=(1,), end=1)  # as in Whisper: the first of them ends the text
    assert padding_length([5, 6, 1, 1, 1], shared) == 2 and padding_length([5, 6, 1], shared) == 0


def test_what_the_loss_skips_is_read_from_its_gradient():
    labels, own = torch.tensor([[5, 1, 0, 0]]), SpecialIds(padding=(0,), end=1)
    assert ignored_ids(labels, [[True, True, False, False]], own) == (0,)
    assert ignored_ids(labels, [[True, True, True, True]], own) == ()
    assert ignored_ids(labels, [], own) == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_first_step_tells_the_loss_and_every_gradient(name):
    facts = healthy(name)
    step = fact("first_step", **facts)
    trainable = [parameter for parameter in facts["model"].parameters() if parameter.requires_grad]
    assert step.failure is None and step.passes == 1 and math.isfinite(step.loss.value)
    assert len(step.gradients.rows) == len(trainable) and step.gradients.norm > 0
    moved = [row for row in step.gradients.rows if row.norm]
    assert all(row.moved and 0 < row.changed <= 1 and row.finite for row in moved)
    assert step.loss.scored_tokens > 0 and step.loss.vocabulary == step.loss.logits.shape[-1]
    assert step.forward_seconds > 0 and step.backward_seconds > 0


def test_the_loss_stands_beside_what_the_book_says():
    loss = fact("first_loss", **healthy("whisper"))
    assert loss.value == pytest.approx(loss.cross_entropy, rel=1e-5)
    assert loss.scored_positions == loss.scored_tokens
    assert loss.value == pytest.approx(math.log(loss.vocabulary), rel=0.1) and loss.logits.std < 1
    parts = fact("first_loss", **healthy("hybrid")).parts
    assert set(parts) == {"att_loss", "ctc_loss"}


def test_no_tensor_and_no_model_hides_in_a_derived_fact():
    context = installed().context(healthy("hybrid"))

    def plain(value):
        if isinstance(value, dict):
            return all(plain(entry) for entry in value.values())
        if isinstance(value, tuple):
            return all(plain(entry) for entry in value)
        fields = getattr(value, "__dataclass_fields__", None)
        if fields:
            return all(plain(getattr(value, name)) for name in fields)
        return isinstance(value, int | float | str | bool | type(None))

    for name in ("first_step", "gradient_reach", "label_rows", "optimizer_parameters", "packages", "torch_builds"):
        assert plain(context.get(name)), name


def test_batches_may_be_of_any_kind():
    class Batch:
        def __init__(self, x, y):
            self.x, self.y = x, y

    model, x, y = nn.Linear(3, 2), torch.randn(4, 3), torch.tensor([0, 1, 0, 1])
    kinds = {
        "object": (Batch(x, y), lambda m, b: nn.functional.cross_entropy(m(b.x), b.y), lambda b: b.y),
        "pair": ((x, y), lambda m, b: nn.functional.cross_entropy(m(b[0]), b[1]), None),
        "dict": ({"x": x, "labels": y}, lambda m, b: nn.functional.cross_entropy(m(b["x"]), b["labels"]), None),
    }
    for batch, compute_loss, labels_of in kinds.values():
        facts = {"model": model, "train_batches": [batch], "compute_loss": compute_loss, "labels_of": labels_of}
        report = diagnose.preflight(**facts)
        assert report.verdict == "go" and not report.findings
        looked = {outcome.probe for outcome in report.outcomes if outcome.ran}
        assert {"LAB001", "LOS001", "GRD001"} <= looked


def test_what_is_not_given_is_not_guessed():
    model, pair = nn.Linear(3, 2), (torch.randn(4, 3), torch.tensor([0, 1, 0, 1]))
    report = diagnose.preflight(model=model, train_batches=[pair])
    loss = next(outcome for outcome in report.outcomes if outcome.probe == "LOS001")
    assert loss.status is Status.SKIPPED and "give compute_loss" in loss.reason
    report = diagnose.preflight(train_batches=[{"audio": torch.zeros(3)}])
    labels = next(outcome for outcome in report.outcomes if outcome.probe == "LAB001")
    assert labels.status is Status.SKIPPED and "give labels_of" in labels.reason
    optimised = next(outcome for outcome in report.outcomes if outcome.probe == "PAR002")
    assert optimised.reason == "not given: model, optimizer"


def test_no_batch_at_all_is_not_clean():
    report = diagnose.preflight(model=nn.Linear(1, 1), train_batches=DataLoader([1], batch_size=2, drop_last=True))
    labels = next(outcome for outcome in report.outcomes if outcome.probe == "LAB001")
    assert labels.status is Status.BLOCKED and report.verdict == "cannot-vouch"


def test_a_dataset_that_raises_or_dies_is_a_result():
    def raising():
        yield {"labels": torch.ones(1).long()}
        raise KeyError("audio")

    def dying():
        yield os.kill(os.getpid(), signal.SIGKILL)

    assert (draw(raising(), 1).failure, len(draw(raising(), 1).batches)) == (None, 1)
    failure = draw(raising(), 2).failure
    assert (failure.error, failure.message) == ("KeyError", "'audio'") and "test_providers.py:" in failure.line
    assert "SIGKILL" in draw(dying(), 1).failure.message


def test_a_view_into_a_large_storage_is_handed_over_small():
    large = torch.zeros(10_000_000)
    (batch,) = draw(iter([large[:4]]), 1).batches
    assert batch.untyped_storage().nbytes() == 16


def test_a_batch_is_copied_before_it_is_used():
    batch = {"x": torch.ones(2), "names": ["a"]}
    twin = copy_batch(batch)
    twin["x"].zero_()
    twin["names"].clear()
    assert batch["x"].sum() == 2 and batch["names"] == ["a"]


def test_of_a_batch_with_something_that_cannot_be_copied_the_rest_is_copied(tmp_path):
    with (tmp_path / "open").open("w") as file:
        batch = {"x": torch.ones(2), "parts": [torch.ones(1, requires_grad=True) * 2], "file": file}
        twin = copy_batch(batch)
        twin["x"].zero_()
        twin["parts"].clear()
        assert batch["x"].sum() == 2 and len(batch["parts"]) == 1 and twin["file"] is file


def test_packages_that_raise_or_crash_are_results(tmp_path, monkeypatch):
    (tmp_path / "bad_raises.py").write_text("raise OSError('libnothing.so: cannot open shared object file')")
    (tmp_path / "bad_crashes.py").write_text("import ctypes; ctypes.string_at(0)")
    (tmp_path / "good_one.py").write_text("x = 1")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    found = {p.name: p for p in imports(("bad_raises", "good_one", "bad_crashes", "not_there_at_all", "sys"))}
    assert found["bad_raises"].error == "OSError: libnothing.so: cannot open shared object file"
    assert found["good_one"].imported and found["sys"].imported and "good_one" not in sys.modules
    assert found["bad_crashes"].ended == "SIGSEGV" and found["not_there_at_all"].error == "it is not installed"


def test_the_torchaudio_pair_is_read_without_importing_it():
    builds = fact("torch_builds", model=1)
    assert builds.torch.startswith(torch.__version__.partition("+")[0]) and builds.loads


def test_manifest_rows_keep_their_place(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    rows = [
        {"audio_path": "a.wav", "transcript": "xin chào", "_file": "train.csv", "_line": "2"},
        {"audio_path": "b.wav", "transcript": "", "_file": "train.csv", "_line": "3"},
    ]
    report = diagnose.preflight(train_rows=rows, audio_root=tmp_path, select=["DAT001", "DAT002"])
    found = {finding.probe: finding for finding in report.findings}
    assert {(f.probe, f.where, f.file, f.line) for f in report.findings} == {
        ("DAT001", "train.csv:3", "train.csv", 3),
        ("DAT002", "train.csv:3", "train.csv", 3),
    }
    assert "1 of 2 audio files are missing" in found["DAT001"].message
    without_root = diagnose.preflight(train_rows=rows)
    audio = next(outcome for outcome in without_root.outcomes if outcome.probe == "DAT001")
    assert audio.status is Status.SKIPPED and "give audio_root" in audio.reason


class Missing(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {}["audio"]


@pytest.mark.parametrize("workers", [0, 1])
def test_an_error_in_a_dataset_is_told_by_its_own_line_with_and_without_workers(workers):
    failure = draw(DataLoader(Missing(), num_workers=workers), 1).failure
    assert failure.error == "KeyError" and failure.message.endswith("'audio'") and "test_providers.py:" in failure.line


def test_what_hangs_only_in_a_child_is_drawn_here(monkeypatch):
    monkeypatch.setattr(batches, "run_in_fork", lambda work: run_in_fork(work, seconds=0.2))
    parent = os.getpid()

    def stuck_in_a_child():
        while os.getpid() != parent:
            time.sleep(0.1)
        yield 1

    drawing = draw(stuck_in_a_child(), 1)
    assert drawing.batches == (1,) and "nothing came back within" in drawing.consumed

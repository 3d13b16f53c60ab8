"""Batches of any kind are drawn and copied; a dataset that raises, dies or hangs is a result."""

import os
import signal
import time
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import diagnose
from diagnose import Status
from diagnose.engine.context import NotApplicable
from probes.facts.core import batches
from probes.facts.core.batches import copy_batch, draw
from probes.facts.core.fork import run_in_fork


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
    assert loss.status is Status.SKIPPED and "pass compute_loss" in loss.reason
    report = diagnose.preflight(train_batches=[{"audio": torch.zeros(3)}])
    labels = next(outcome for outcome in report.outcomes if outcome.probe == "LAB001")
    assert labels.status is Status.SKIPPED and "pass labels_of" in labels.reason
    optimised = next(outcome for outcome in report.outcomes if outcome.probe == "PAR002")
    assert optimised.reason == "not given: model, optimizer"


def test_no_batch_at_all_is_not_clean():
    report = diagnose.preflight(model=nn.Linear(1, 1), train_batches=DataLoader([1], batch_size=2, drop_last=True))
    labels = next(outcome for outcome in report.outcomes if outcome.probe == "LAB001")
    assert labels.status is Status.BLOCKED and report.verdict == "inconclusive"


def test_a_dataset_that_raises_or_dies_is_a_result():
    def raising():
        yield {"labels": torch.ones(1).long()}
        raise KeyError("audio")

    def dying():
        yield os.kill(os.getpid(), signal.SIGKILL)

    assert (draw(raising(), 1).failure, len(draw(raising(), 1).batches)) == (None, 1)
    failure = draw(raising(), 2).failure
    assert (failure.error, failure.message) == ("KeyError", "'audio'") and f"{Path(__file__).name}:" in failure.line
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


class Missing(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {}["audio"]


@pytest.mark.parametrize("workers", [0, 1])
def test_an_error_in_a_dataset_is_told_by_its_own_line_with_and_without_workers(workers):
    failure = draw(DataLoader(Missing(), num_workers=workers), 1).failure
    assert (
        failure.error == "KeyError"
        and failure.message.endswith("'audio'")
        and f"{Path(__file__).name}:" in failure.line
    )


class StuckInAChild:
    """Batches that only the process that made them can draw."""

    def __init__(self):
        self.parent = os.getpid()

    def __iter__(self):
        while os.getpid() != self.parent:
            time.sleep(0.1)
        yield 1


def test_what_hangs_only_in_a_child_is_drawn_here(monkeypatch):
    monkeypatch.setattr(batches, "run_in_fork", lambda work, seconds: run_in_fork(work, seconds=0.2))
    drawing = draw(StuckInAChild(), 1)
    assert drawing.batches == (1,) and "no result within" in drawing.consumed


def test_an_iterator_that_only_this_process_can_draw_is_left_alone(monkeypatch):
    monkeypatch.setattr(batches, "run_in_fork", lambda work, seconds: run_in_fork(work, seconds=0.2))
    iterator = iter(StuckInAChild())
    with pytest.raises(NotApplicable, match="pass the DataLoader"):
        draw(iterator, 1)
    assert list(iterator) == [1]


def test_a_loader_that_has_begun_with_workers_is_left_alone():
    loader = iter(DataLoader(TensorDataset(torch.arange(8)), batch_size=2, num_workers=1))
    with pytest.raises(NotApplicable, match="only once"):
        draw(loader, 1)
    assert len(list(loader)) == 4

"""diagnose.watch in loops written by hand: what it finds, that it changes nothing, and what it refuses."""

from __future__ import annotations

import logging
import time
from collections import UserDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

import diagnose
from diagnose.common.errors import InputError
from probes.integrations.loop_source import NoLoop, loop_around
from tests.support.small_trainers import CLASSES, WIDTH, Points

PATCHED = (
    (torch.Tensor, "backward"),
    (nn.Module, "zero_grad"),
    (nn.Module, "train"),
    (torch.optim.Optimizer, "zero_grad"),
)


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(WIDTH, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, CLASSES))


def patches() -> list[Any]:
    return [vars(holder)[name] for holder, name in PATCHED]


class Run:
    """A loop as people write it: attributes, an enumerated loader, losses kept in a list, a schedule."""

    def __init__(self, model: nn.Module, optimizer: Any, double: bool = False) -> None:
        self.model, self.optimizer, self.double = model, optimizer, double
        self.losses: list[float] = []
        self.schedule = torch.optim.lr_scheduler.StepLR(optimizer, 4)
        self.steps = 0

    def train(self, loader: Any, epochs: int = 1) -> list[float]:
        for _ in range(epochs):
            for number, batch in enumerate(loader):
                self.optimizer.zero_grad()
                logits = self.model(batch["x"])
                loss = F.cross_entropy(logits.softmax(-1) if self.double else logits, batch["labels"])
                self.losses.append(loss.item())
                loss.backward()
                self.optimizer.step()
                self.schedule.step()
                self.steps += number >= 0
        return self.losses


def run_of(double: bool = False) -> tuple[Run, DataLoader]:
    model = network()
    return Run(model, torch.optim.AdamW(model.parameters(), lr=3e-3), double), DataLoader(Points(), 32, shuffle=True)


def test_a_watched_run_has_the_same_losses_and_nothing_stays_patched() -> None:
    before = patches()
    run, loader = run_of()
    with diagnose.watch(run.model, run.optimizer) as watch:
        watched = run.train(loader)
    plain, loader = run_of()
    assert watched == plain.train(loader) and run.steps == 16
    assert watch.report.verdict == "go" and {"LOS008", "GRD013"} <= {
        one.probe for one in watch.report.outcomes if one.ran
    }
    assert patches() == before
    assert not run.optimizer._optimizer_step_pre_hooks and not run.model._forward_pre_hooks


def test_a_broken_loop_stops_after_its_first_step() -> None:
    before = patches()
    run, loader = run_of(double=True)
    with pytest.raises(diagnose.PreflightFailed) as refused, diagnose.watch(run.model, run.optimizer):
        run.train(loader)
    assert refused.value.report.diagnosis[0].finding.probe == "LOS008" and len(run.losses) == 1
    assert patches() == before


def test_a_later_step_that_is_not_finite_is_stopped_before_its_update(monkeypatch: Any) -> None:
    run, loader = run_of()
    monkeypatch.setattr("probes.integrations.watch.look", lambda facts: diagnose.preflight(**facts, select=["LOS008"]))
    batches = list(loader)
    batches[7]["x"][3, 2] = float("nan")
    with pytest.raises(diagnose.Stopped, match="STP001 at step 7"), diagnose.watch(run.model, run.optimizer):
        run.train(batches)
    assert len(run.losses) == 8 and all(value.isfinite().all() for value in run.model.parameters())


@dataclass
class Pair:
    x: torch.Tensor
    labels: torch.Tensor


def as_tuple(items: list[Any]) -> Any:
    return torch.stack([one["x"] for one in items]), torch.stack([one["labels"] for one in items])


KINDS = {
    "tuple": (as_tuple, lambda batch: batch),
    "mapping": (
        lambda items: UserDict(zip(("x", "y"), as_tuple(items), strict=True)),
        lambda batch: (batch["x"], batch["y"]),
    ),
    "dataclass": (lambda items: Pair(*as_tuple(items)), lambda batch: (batch.x, batch.labels)),
}


def compiled(model: nn.Module) -> Any:
    return torch.compile(model, backend="eager")


def adapted(model: nn.Module) -> Any:
    from peft import LoraConfig, get_peft_model

    return get_peft_model(model, LoraConfig(target_modules=["0", "3"], r=16, lora_alpha=64))


def shared(model: nn.Module) -> Any:
    return nn.parallel.DistributedDataParallel(model)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[None]:
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/group", rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize(
    ("wrap", "kind"),
    [(nn.DataParallel, "tuple"), (compiled, "mapping"), (adapted, "dataclass"), (shared, "dataclass")],
)
def test_batches_of_any_kind_and_wrapped_models_are_read(kind: str, wrap: Any, monkeypatch: Any) -> None:
    collate, read = KINDS[kind]
    monkeypatch.setattr("probes.integrations.watch.look", lambda facts: diagnose.preflight(**facts, stages=["loss"]))
    model = wrap(network())
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    with diagnose.watch(model, optimizer) as watch:
        for _, batch in zip(range(3), DataLoader(Points(), 32, collate_fn=collate), strict=False):
            x, y = read(batch)
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    assert watch.report.verdict == "go" and sum(one.ran for one in watch.report.outcomes) > 10


def test_a_loop_that_calls_next_is_read() -> None:
    _, loader = run_of()
    rows, frames = iter(loader), []

    def look() -> None:
        import sys

        frames.append(loop_around(sys._getframe(1)))

    for _ in range(1):
        batch = next(rows)
        look()
    assert frames[0].batches is rows and batch
    taken: list[Any] = []
    frames[0].function(**{**frames[0].variables, "look": lambda: taken.append(1)}, watched_batches=iter([{"x": 1}]))
    assert taken == [1]


def test_a_stream_without_a_loader_and_a_step_without_a_loop_are_refused_in_one_sentence(caplog: Any) -> None:
    run, loader = run_of()
    caplog.set_level(logging.WARNING)
    with diagnose.watch(run.model, run.optimizer, mode="warn"):
        run.train(iter(list(loader)))
    assert "the loop reads an iterator, which can be read only once: pass train_batches=loader" in caplog.text
    with pytest.raises(InputError, match="pass train_batches= and compute_loss= to diagnose"):
        without_a_loop(loader)
    with pytest.raises(InputError, match=r"the optimizer is a StepLR, expected a torch.optim.Optimizer"):
        diagnose.watch(run.model, run.schedule)


def without_a_loop(loader: Any) -> None:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batch = next(iter(loader))

    def step() -> None:
        F.cross_entropy(model(batch["x"]), batch["labels"]).backward()
        optimizer.step()
        optimizer.zero_grad()

    with diagnose.watch(model, optimizer):
        step()
        step()


def test_there_is_no_loop_in_a_function_that_has_none() -> None:
    import sys

    with pytest.raises(NoLoop, match="no loop over batches"):
        loop_around(sys._getframe(), sys._getframe())


@pytest.mark.bench
def test_a_watched_step_costs_at_most_one_percent_more(monkeypatch: Any) -> None:
    """A model of a few million weights: CPU time of the guard's own part over that of a step."""
    from probes.integrations.watch_guard import guarded

    model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(4)])
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(64, 1024)

    def step() -> None:
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    def seconds(count: int = 60) -> float:
        start = time.process_time()
        for _ in range(count):
            step()
        return time.process_time() - start

    seconds(10)
    pairs = []
    for _ in range(7):
        plain = seconds()
        with guarded(optimizer, "stop"):
            pairs.append(seconds() / plain)
    print(sorted(pairs))
    assert sorted(pairs)[3] <= 1.01

"""What nan-bisect costs: armed while all is finite, in one finite test, and in the replay of a failure."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import nn
from transformers.debug_utils import DebugUnderflowOverflow

from probes.facts.core.finite import is_finite
from probes.facts.core.model_output import loss_of_output
from probes.facts.nonfinite.traced_step import AutocastSetup, find_origin
from tests.bench.report import Measured
from tests.support.large_models import sized

ROUNDS, WARMUP = 15, 3
Arm = Callable[[], None]


def cpu_seconds(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def armed(name: str) -> Measured:
    """The checks' own time over the plain step's; the other tools by whole steps, in turn with plain ones."""
    model, batch = sized(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    arms = {"plain": lambda: _step(model, batch, optimizer), **_tools(name, model, batch, optimizer)}
    failures = {key: _tried(arm) for key, arm in arms.items()}
    times: dict[str, list[float]] = {key: [] for key in arms if not failures[key]}
    checks = []
    for _ in range(ROUNDS):
        for key, taken in times.items():
            taken.append(cpu_seconds(arms[key]))
        checks.append(cpu_seconds(lambda: _checked(model, batch)))
    step = statistics.median(times.pop("plain"))
    others = {key: statistics.median(taken) / step for key, taken in times.items()}
    crashed = {key: f"crashes: {failure}" for key, failure in failures.items() if failure}
    figures = {"ratio": 1 + statistics.median(checks) / step, "plain_cpu_seconds": step, **others, **crashed}
    return Measured(figures, f"{ROUNDS} of each in turn, CPU time, medians")


def _tools(name: str, model: nn.Module, batch: Any, optimizer: Any) -> dict[str, Arm]:
    watched = sized(name)[0]  # DebugUnderflowOverflow cannot be taken out again
    DebugUnderflowOverflow(watched, max_frames_to_save=1)
    theirs = torch.optim.AdamW(watched.parameters(), lr=1e-5)
    return {
        "anomaly_mode": lambda: _with(torch.autograd.set_detect_anomaly(True), model, batch, optimizer),
        "naive_hooks": lambda: _with(_naive_hooks(model), model, batch, optimizer),
        "debug_underflow_overflow": lambda: _step(watched, batch, theirs),
    }


def _step(model: nn.Module, batch: Any, optimizer: Any) -> None:
    loss_of_output(model, batch).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)


def _checked(model: nn.Module, batch: Any) -> None:
    """What is looked at in every step: the loss, every gradient, every weight."""
    assert is_finite(torch.ones(()))
    assert all(is_finite(weight.grad) for weight in model.parameters() if weight.grad is not None)
    assert all(is_finite(weight.detach()) for weight in model.parameters())


def _with(context: Any, model: nn.Module, batch: Any, optimizer: Any) -> None:
    with context:
        _step(model, batch, optimizer)


@contextmanager
def _naive_hooks(model: nn.Module) -> Iterator[None]:
    def look(module: nn.Module, given: Any, output: Any) -> None:
        if isinstance(output, torch.Tensor) and bool(torch.isnan(output).any() | torch.isinf(output).any()):
            raise ValueError("not finite")

    handles = [module.register_forward_hook(look) for module in model.modules()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _tried(arm: Arm) -> str:
    try:
        arm()
    except Exception as failure:
        return str(failure).splitlines()[0]
    return ""


def finite_test(tensor: torch.Tensor) -> dict[str, float]:
    """One test over one read of the same tensor whose result arrives in Python."""
    arms: dict[str, Callable[[torch.Tensor], Any]] = {
        "read": lambda tensor: tensor.sum().item(),
        "ratio": is_finite,
        "isfinite_all": lambda tensor: bool(torch.isfinite(tensor).all()),
    }
    repeats = range(max(1, 10**6 // tensor.numel()))
    times: dict[str, list[float]] = {key: [] for key in arms}
    for _ in range(WARMUP + ROUNDS):
        for key, arm in arms.items():
            arm(tensor)  # each finds in the cache what fits there, and not what the one before it left
            times[key].append(cpu_seconds(partial(_often, arm, tensor, repeats)))
    read = statistics.median(times.pop("read")[WARMUP:])
    return {key: statistics.median(taken[WARMUP:]) / read for key, taken in times.items()}


def _often(arm: Callable[[torch.Tensor], Any], tensor: torch.Tensor, repeats: range) -> None:
    for _ in repeats:
        arm(tensor)


def finite_tests() -> Measured:
    """nan/finite_test/<dtype>/<size>/<data>/ratio."""
    figures: dict[str, Any] = {}
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        by_size = figures.setdefault(str(dtype).removeprefix("torch."), {})
        for power in range(4, 9):
            values = torch.randn(10**power)
            kinds = {"zero_mean": values, "positive": values.abs() + 0.5}
            by_size[f"1e{power}"] = {data: finite_test(tensor.to(dtype)) for data, tensor in kinds.items()}
    return Measured(figures, f"{ROUNDS} of each in turn, CPU time, medians; a read is sum().item()")


CHANGES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "forward": lambda x: x - (x * 0).log(),
    "backward": lambda x: x + (x * 0).abs().sqrt(),
}


def replay(name: str, kind: str) -> Measured:
    """The replay of a failing step over a plain forward and backward pass, beside anomaly mode on the same fault."""
    model, batch = sized(name)
    linears = [module for module in model.modules() if type(module) is nn.Linear]
    guilty, change = linears[len(linears) // 2], lambda module, given, output: CHANGES[kind](output)
    subject = AutocastSetup(model, loss_of_output)
    times: dict[str, list[float]] = {"plain": [], "ratio": [], "anomaly_mode": []}
    for _ in range(1 + ROUNDS):
        times["plain"].append(cpu_seconds(lambda: loss_of_output(model, batch).backward()))
        with _hooked(guilty, change):
            times["ratio"].append(cpu_seconds(lambda: _named(subject, batch)))
            times["anomaly_mode"].append(cpu_seconds(lambda: _tried(lambda: _anomaly(model, batch))))
    plain = statistics.median(times.pop("plain")[1:])
    ratios = {key: statistics.median(taken[1:]) / plain for key, taken in times.items()}
    return Measured({**ratios, "plain_cpu_seconds": plain}, f"{ROUNDS} of each in turn, CPU time, medians")


@contextmanager
def _hooked(module: nn.Module, hook: Callable[..., Any]) -> Iterator[None]:
    handle = module.register_forward_hook(hook)
    yield
    handle.remove()


def _named(subject: AutocastSetup, batch: Any) -> None:
    assert find_origin(subject, batch) is not None


def _anomaly(model: nn.Module, batch: Any) -> None:
    with torch.autograd.set_detect_anomaly(True):
        loss_of_output(model, batch).backward()

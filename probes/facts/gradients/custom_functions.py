"""Records the calls of hand-written autograd Functions, then checks their backward by finite differences."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from probes.facts.core.failure import FOREIGN
from probes.facts.gradients.types import CustomBackward

Tensor = torch.Tensor
LARGEST = 2**24  # elements: a copy of larger arguments is not worth the memory
STEPS = (1e-5, 1e-4)  # of each element: two lengths have to agree before a difference counts as a slope
DIRECTIONS = 4
AGREE = 0.02  # of one another
WRONG = 0.05  # the probe is told the error; below this it is rounding


@dataclass(frozen=True)
class CustomFunctionCall:
    function: Any
    arguments: tuple[Any, ...]
    differentiated: tuple[int, ...]  # positions whose gradient the step asks for
    line: str


@contextmanager
def record_custom_functions() -> Iterator[dict[Any, CustomFunctionCall]]:
    """The first call of every Function that is not torch's own."""
    calls: dict[Any, CustomFunctionCall] = {}
    usual = {one: vars(one)["forward"] for one in set(_functions(torch.autograd.Function))}
    for function, forward in usual.items():
        function.forward = staticmethod(_recording(function, forward.__func__, calls))
    try:
        yield calls
    finally:
        for function, forward in usual.items():
            function.forward = forward


def _functions(base: Any) -> Iterator[Any]:
    for one in base.__subclasses__():
        if isinstance(vars(one).get("forward"), staticmethod) and not one.__module__.startswith("torch."):
            yield one
        yield from _functions(one)


def _recording(function: Any, forward: Any, calls: dict[Any, CustomFunctionCall]) -> Any:
    has_context = function.setup_context is torch.autograd.Function.setup_context

    def record(*args: Any) -> Any:
        arguments = args[1:] if has_context else args
        differentiated = tuple(n for n, one in enumerate(arguments) if isinstance(one, Tensor) and one.requires_grad)
        small = sum(one.numel() for one in arguments if isinstance(one, Tensor)) <= LARGEST
        if function not in calls and differentiated and small:
            copies = tuple(one.detach().clone() if isinstance(one, Tensor) else one for one in arguments)
            calls[function] = CustomFunctionCall(function, copies, differentiated, _line())
        return forward(*args)

    return record


def _line() -> str:
    frame = sys._getframe(2)
    while frame.f_back is not None and any(part in frame.f_code.co_filename for part in FOREIGN):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def check_backward(call: CustomFunctionCall) -> Iterator[CustomBackward]:
    """One row for each argument that gets a gradient."""
    for place in call.differentiated:
        try:
            verdict, error, ratio = _compare(call, place)
        except Exception:  # no double precision, or an argument that only the step itself can give
            verdict, error, ratio = "unclear", 0.0, 1.0
        yield CustomBackward(call.function.__name__, call.line, place, verdict, error, ratio)


def _compare(call: CustomFunctionCall, place: int) -> tuple[str, float, float]:
    args = [one.double() if _real(one) else one for one in call.arguments]
    start = args[place].detach()
    weights: list[Tensor] = []

    def project(values: Tensor) -> Tensor:
        torch.manual_seed(0)  # the observer puts it back
        results = call.function.apply(*args[:place], values, *args[place + 1 :])
        outputs = [one.double() for one in (results if isinstance(results, tuple) else (results,)) if _real(one)]
        if not weights:
            weights.extend(torch.randn_like(one) for one in outputs)
            same.append(len(outputs) == 1 and torch.equal(outputs[0].detach(), start))
        return torch.stack([(one * weight).sum() for one, weight in zip(outputs, weights, strict=True)]).sum()

    same: list[bool] = []
    with torch.enable_grad():
        leaf = start.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(project(leaf), leaf, allow_unused=True)
    ways = [torch.randn_like(start) * (start.abs() + 0.01 * start.square().mean().sqrt()) for _ in range(DIRECTIONS)]
    slopes = [torch.stack([_slope(project, start, way, step) for way in ways]) for step in STEPS]
    analytic = torch.stack([(way * (0 if gradient is None else gradient)).sum() for way in ways])
    verdict, error, ratio = _verdict(slopes, analytic, gradient is None, same[0])
    if verdict == "wrong" and gradient is not None and _only_where_flat(call, args, place, gradient, weights):
        verdict = "flat"
    return verdict, error, ratio


def _only_where_flat(
    call: CustomFunctionCall, args: list[Any], place: int, gradient: Tensor, weights: list[Tensor]
) -> bool:
    """Element by element, is it off only where the forward pass does not move: a clamp that lets gradients through?"""
    start = args[place].detach()
    way = STEPS[0] * (start.abs() + 1e-3)
    with torch.no_grad():
        up, down = (call.function.apply(*args[:place], start + s * way, *args[place + 1 :]) for s in (1, -1))
    if not isinstance(up, Tensor) or up.shape != start.shape:
        return False
    slope, analytic = (up - down) / (2 * way), gradient / weights[0]
    off = (slope - analytic).abs() > WRONG * torch.maximum(slope.abs(), analytic.abs())
    return bool((slope[off] == 0).all())


def _slope(project: Any, start: Tensor, way: Tensor, step: float) -> Tensor:
    with torch.no_grad():
        return (project(start + step * way) - project(start - step * way)) / (2 * step)


def _verdict(slopes: list[Tensor], analytic: Tensor, missing: bool, identity: bool) -> tuple[str, float, float]:
    short, long = slopes
    size = max(float(short.norm()), float(analytic.norm()))
    if not size or not all(bool(torch.isfinite(one).all()) for one in (*slopes, analytic)):
        return ("right" if not size else "unclear"), 0.0, 1.0
    error = float((short - analytic).norm()) / size
    ratio = float((short * analytic).sum() / short.square().sum().clamp(min=1e-300))
    if error <= WRONG:
        return "right", error, ratio
    if identity:
        return "identity", error, ratio
    if float(short.abs().median()) == 0.0:
        return "flat", error, ratio
    if float((short - long).norm()) > AGREE * size:
        return "unclear", error, ratio
    return ("missing" if missing else "wrong"), error, ratio


def _real(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()

"""From allocations to figures: the peak, what lives then by kind and by module, and a timeline."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from probes.facts.core.torch_ops import iter_leaves
from probes.facts.memory.one_step import CountedStep
from probes.facts.memory.step_meter import StepMeter
from probes.facts.memory.types import KINDS, Allocation, ModuleMemory, StepMemory

MOMENTS = 200
COLUMNS = {"weights": "weights", "gradients": "gradients", "optimizer state": "optimizer"}


def summarize(counted: CountedStep, name: str, batch: Any) -> StepMemory:
    """The optimizer's state is there from the second step on, so it counts from the beginning."""
    meter = counted.meter
    for one in meter.allocations:
        if one.kind == "optimizer state":
            one.start = 0
    series = live_bytes(meter.allocations, meter.clock)
    totals = [sum(values) for values in zip(*series.values(), strict=True)]
    peak = max(totals)
    moment = totals.index(peak)
    kinds = {kind: series[kind][moment] for kind in KINDS if kind in series and series[kind][moment]}
    starts = {"forward": 0, "backward": counted.backward, "update": counted.update}
    return StepMemory(
        batch=f"{name} ({shapes_of(batch)})",
        peak=peak,
        peak_phase=max((phase for phase in starts if starts[phase] <= moment), key=lambda phase: starts[phase]),
        kinds=kinds,
        modules=modules_of(living_at(meter.allocations, moment)),
        timeline=_sampled(series, totals),
        phase_starts={phase: clock / max(1, meter.clock) for phase, clock in starts.items()},
        flops=meter.flops,
        saved_for_backward=series["activations"][counted.backward] if "activations" in series else 0,
    )


def peak_of(meter: StepMeter) -> int:
    series = live_bytes(meter.allocations, meter.clock)
    return max(sum(values) for values in zip(*series.values(), strict=True))


def modules_of(living: Iterable[Allocation]) -> tuple[ModuleMemory, ...]:
    """Largest first; what no module holds is not among them."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for one in living:
        if one.module:
            found[one.module][COLUMNS.get(one.kind, "activations")] += one.bytes
    columns = ("weights", "gradients", "optimizer", "activations")
    rows = [ModuleMemory(name, *(held[column] for column in columns)) for name, held in found.items()]
    return tuple(sorted(rows, key=lambda row: (-row.total, row.name)))


def shapes_of(batch: Any) -> str:
    named = batch.items() if isinstance(batch, Mapping) else enumerate(iter_leaves(batch))
    return ", ".join(f"{name} {' x '.join(map(str, value.shape))}" for name, value in named if hasattr(value, "shape"))


def _sampled(series: Mapping[str, Sequence[int]], totals: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Of each stretch of operations the one with the largest total, so that the peak is among them."""
    stretches = min(MOMENTS, len(totals))
    edges = [len(totals) * number // stretches for number in range(stretches + 1)]
    moments = [max(range(a, b), key=lambda place: totals[place]) for a, b in pairwise(edges)]
    return {kind: tuple(series[kind][moment] for moment in moments) for kind in KINDS if kind in series}


def live_bytes(allocations: Iterable[Allocation], length: int) -> dict[str, list[int]]:
    """Bytes that live after each operation, by kind."""
    changes: dict[str, list[int]] = {}
    for one in allocations:
        series = changes.setdefault(one.kind, [0] * (length + 2))
        series[one.start] += one.bytes
        if one.end is not None:
            series[one.end + 1] -= one.bytes
    for series in changes.values():
        for place in range(1, len(series)):
            series[place] += series[place - 1]
    return {kind: series[: length + 1] for kind, series in changes.items()}


def living_at(allocations: Iterable[Allocation], clock: int) -> Iterator[Allocation]:
    return (one for one in allocations if one.start <= clock and (one.end is None or clock <= one.end))

"""Memory over one step, stacked by kind, with the device's line; and the peak of each phase."""

from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.page.chart import Bar, Chart, ChartSeries, Limit, Table

GB = 1e9
FARTHEST = 20  # times the peak: a line farther up would flatten the curves


def memory_charts(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """Each curve is the sum of its kind and of those below it."""
    timeline: Mapping[str, list[int]] = figure["timeline"]
    length = len(next(iter(timeline.values())))
    below, series = [0] * length, []
    for kind, values in timeline.items():
        below = [low + value for low, value in zip(below, values, strict=True)]
        series.append(ChartSeries(kind, [(100 * at / max(1, length - 1), low / GB) for at, low in enumerate(below)]))
    starts = [Limit(name, 100 * share, vertical=True) for name, share in figure["phases"].items() if share]
    device = Limit(figure["device"], figure["memory"] / GB)
    shown = [device] if figure["memory"] < FARTHEST * figure["peak"] else []
    yield Chart(
        "Memory over one step",
        f"The predicted peak of a step is {figure['peak'] / GB:.3g} GB, in the {figure['peak_phase']}; "
        f"{figure['device']} has {figure['memory'] / GB:.3g} GB. Batch: {figure['batch']}.",
        Table.of(("kind", "GB at the peak"), [(kind, size / GB) for kind, size in figure["kinds"].items()]),
        x="percent of the step's operations",
        y="GB",
        series=series,
        limits=[*starts, *shown],
    )
    peaks = figure["peaks"]
    yield Chart(
        "Peak memory by phase",
        f"The largest peak is in the {max(peaks, key=lambda phase: peaks[phase])}.",
        Table.of(("phase", "GB"), [(phase, size / GB) for phase, size in peaks.items()]),
        x="GB",
        bars=[Bar(phase, size / GB, size > figure["memory"]) for phase, size in peaks.items()],
    )

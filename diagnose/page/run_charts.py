"""Charts of a run: loss and its parts, learning rate, gradient norm, and every evaluated metric over steps."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnose.page.axes import number
from diagnose.page.chart import Chart, ChartSeries, Point, Table

TITLES = {"lr": "Learning rate", "grad_norm": "Gradient norm", "scale": "Loss scale", "seconds": "Seconds per step"}
Curves = Mapping[str, list[Point]]


def run_charts(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """Training loss with its parts and the evaluation loss in one chart, then a chart for each further figure.

    Beside them, where the figure has a `reference`, the same of a run known to be good.
    """
    series: dict[str, list[Point]] = dict(figure["series"])
    reference: dict[str, list[Point]] = dict(figure.get("reference", {}))
    names = ["loss", *(name for name in series if name.startswith("parts.")), "evaluation.loss"]
    losses = [one for name in names for one in _both(name, series, reference)]
    if losses:
        yield _chart("Loss", "loss", losses)
    for name in [name for name in series if name not in names]:
        yield _chart(TITLES.get(name, _plain(name)), _plain(name), list(_both(name, series, reference)))


def _both(name: str, series: Curves, reference: Curves) -> Iterator[ChartSeries]:
    if name in series:
        yield ChartSeries(_plain(name), series[name])
        if name in reference:
            yield ChartSeries(f"{_plain(name)}, reference run", reference[name])


def _plain(name: str) -> str:
    metric = name.removeprefix("evaluation.")
    return f"{metric} (evaluation)" if metric != name else name.removeprefix("parts.")


def _chart(title: str, y: str, series: Sequence[ChartSeries]) -> Chart:
    ends = [f"{one.name} {number(one.points[0][1])} to {number(one.points[-1][1])}" for one in series]
    steps = [step for one in series for step, _ in one.points]
    return Chart(
        title,
        f"{', '.join(ends)}, steps {number(min(steps))} to {number(max(steps))}.",
        Table.of(("figure", "step", "value"), [(one.name, *point) for one in series for point in one.points]),
        x="step",
        y=y,
        series=series,
    )

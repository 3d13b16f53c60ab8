"""Charts of the learning stage: the overfit curve with its floors, learning rates, the schedule."""

from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.page.axes import number
from diagnose.page.chart import Chart, ChartSeries, Limit, Table

FLOORS = {"uniform": "uniform guess", "unigram": "label frequencies", "blind": "labels without the input"}


def overfit_chart(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """A few rows overfit, beside what can be reached without the input."""
    losses, per_label = figure["curve"], figure.get("books") or ()
    series = [ChartSeries("loss", list(enumerate(losses)))]
    if per_label and any(abs(a - b) > 1e-3 * abs(a) for a, b in zip(losses, per_label, strict=False)):
        series.append(ChartSeries("cross-entropy per label", list(enumerate(per_label))))
    floors = [Limit(name, figure[key]) for key, name in FLOORS.items() if figure.get(key) is not None]
    yield Chart(
        "Overfitting a few rows",
        f"{figure['where']}: the loss goes from {number(losses[0])} to {number(losses[-1])} in "
        f"{figure['updates']} updates; the model {figure['verdict']}.",
        Table.of(("update", "loss"), list(enumerate(losses))),
        x="update",
        y="loss",
        series=series,
        limits=floors,
    )


def rate_chart(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """Updates at the peak of the learning rate, and at a lower one."""
    runs = [figure[key] for key in ("peak", "lower", "more") if figure.get(key)]
    series = [ChartSeries(f"rate {number(figure['rate'] * run['share'])}", _spread(run)) for run in runs]
    peak = runs[0]
    yield Chart(
        "The loss at the configured learning rate",
        f"{peak['updates']} updates at {number(figure['rate'])} move the loss from {number(peak['losses'][0])} "
        f"to {number(peak['losses'][-1])}.",
        Table.of(("rate", "update", "loss"), [(s.name, x, y) for s in series for x, y in s.points]),
        x="update",
        y="loss",
        series=series,
    )


def _spread(run: Mapping[str, Any]) -> list[tuple[float, float]]:
    last = max(1, len(run["losses"]) - 1)
    return [(run["updates"] * index / last, loss) for index, loss in enumerate(run["losses"])]


def sweep_chart(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """The learning rate range test."""
    points = list(zip(figure["rates"], figure["losses"], strict=False))
    marks = {"configured": figure["configured"], "loss falls from here": figure["low"], "no further": figure["high"]}
    yield Chart(
        "Learning rate range test",
        f"The configured learning rate is {number(figure['configured'])}; the loss falls between "
        f"{number(figure['low'] or 0.0)} and {number(figure['high'] or 0.0)}.",
        Table.of(("rate", "loss"), points),
        x="learning rate",
        y="loss",
        series=(ChartSeries("loss", points),),
        limits=[Limit(name, value, vertical=True) for name, value in marks.items() if value],
        log_x=True,
    )


def schedule_chart(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """The learning rate over the whole run."""
    points = figure["points"]
    if points:
        yield Chart(
            "Learning rate schedule",
            f"{figure['kind']}: {figure['updates']:,} updates with a peak of {number(figure['peak'])}.",
            Table.of(("update", "learning rate"), points),
            x="update",
            y="learning rate",
            series=(ChartSeries("learning rate", points),),
        )

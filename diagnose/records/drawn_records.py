"""What a page draws of a run: every figure over steps, and the last generated texts."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diagnose.records.records import Records, Series

DRAWN = 400  # points of a curve in a chart, which is some 600 pixels wide
TEXTS = 20


def drawn_records(records: "Records") -> dict[str, Any]:
    parts = dict.fromkeys(f"parts.{name}" for row in records.rows for name in row.parts)
    names = ["loss", *parts, "lr", "grad_norm", "scale", *(f"evaluation.{name}" for name in records.evaluated)]
    curves = {name: _thinned(records.series(name)) for name in names if records.series(name).values}
    texts = [(row.step, one.text, one.reference) for row in records.rows for one in row.texts]
    return {"series": curves, "texts": texts[-TEXTS:]}


def _thinned(series: "Series") -> list[tuple[int, float]]:
    points = list(zip(series.steps, series.values, strict=True))
    step = -(-len(points) // DRAWN) or 1
    return points[::step] + ([points[-1]] if (len(points) - 1) % step else [])

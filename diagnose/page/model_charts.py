"""Charts of the model: its modules, the gradients of the first step, activation ranges in 16 bits."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.page.axes import number
from diagnose.page.chart import Bar, Chart, Limit, Table

DEPTH = 2  # names of a module that are kept: model.encoder, and what is beneath it
SHOWN = 30


def module_chart(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """Parameters by module, frozen ones apart."""
    sizes: dict[tuple[str, bool], int] = defaultdict(int)
    for row in figure["rows"]:
        parts = row["name"].split(".")
        sizes[".".join(parts[: min(DEPTH, len(parts) - 1)]) or row["name"], row["trainable"]] += row["size"]
    largest = sorted(sizes.items(), key=lambda item: -item[1])
    total, trainable = figure["total"], figure["trainable"]
    share = f"{trainable / max(1, total):.1%}"
    yield Chart(
        "Parameters by module",
        f"Trainable: {trainable:,} of {total:,} parameters ({share}).",
        Table.of(
            ("parameter", "shape", "values", "dtype", "device", "trains"),
            [(r["name"], _shape(r["shape"]), r["size"], r["dtype"], r["device"], _yes(r)) for r in figure["rows"]],
        ),
        x="parameters",
        bars=[Bar(f"{name}{'' if trains else ' (frozen)'}", size, not trains) for (name, trains), size in largest][
            :SHOWN
        ],
    )


def _shape(shape: Any) -> str:
    return " × ".join(map(str, shape)) or "scalar"


def _yes(row: Mapping[str, Any]) -> str:
    return "yes" if row["trainable"] else "frozen"


def gradient_chart(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """The gradient norm of every layer after the first backward pass."""
    squares: dict[str, float] = defaultdict(float)
    missing = [row["name"] for row in figure["gradients"] if row["norm"] is None]
    for row in figure["gradients"]:
        squares[row["name"].rpartition(".")[0] or row["name"]] += (row["norm"] or 0.0) ** 2
    if not squares:
        return
    norms = {name: square**0.5 for name, square in squares.items()}
    smallest = sorted(norms.items(), key=lambda item: item[1])
    kept = dict(smallest[: SHOWN // 2] + smallest[-SHOWN // 2 :]) if len(norms) > SHOWN else norms
    without = f"; {len(missing)} parameters have none" if missing else ""
    yield Chart(
        "Gradient norm by layer",
        f"The gradient norm of the first step is {number(figure['grad_norm'] or 0.0)}; layers lie between "
        f"{number(smallest[0][1])} and {number(smallest[-1][1])}{without}.",
        Table.of(
            ("parameter", "gradient norm", "weight norm"),
            [(row["name"], row["norm"], row["weight_norm"]) for row in figure["gradients"]],
        ),
        x="gradient norm",
        bars=[Bar(name, norm, norm == 0.0) for name, norm in norms.items() if name in kept],
        log_x=True,
    )


def range_chart(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """The largest result of each module beside the largest number of the format."""
    rows = figure["rows"]
    if not rows:
        return
    limit = rows[0]["limit"]
    over = [row for row in rows if row["largest"] >= row["limit"]]
    said = f"{len(over)} modules overflow, first {over[0]['module']}" if over else "no module overflows"
    yield Chart(
        f"Activation ranges in {figure['precision']}",
        f"The largest number is {number(limit)}; {said}.",
        Table.of(
            ("module", "operation", "largest result", "limit"),
            [(row["module"], row["operation"], row["largest"], row["limit"]) for row in rows],
        ),
        x="largest result",
        bars=[Bar(row["module"] or "model", row["largest"], row["largest"] >= row["limit"]) for row in rows[:SHOWN]],
        limits=(Limit(f"{figure['precision']} limit", limit),),
        log_x=True,
    )

"""`diagnose overfit`: the learning stage alone, with the curve of the loss and what it is compared with."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from diagnose import terminal
from diagnose.nouns import Stage
from diagnose.options import looked_at, reported

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 60


@click.command(cls=terminal.Command)
@looked_at
@click.option("--pairs", is_flag=True, help="Train on some batches, then compare right with swapped pairs on others.")
@click.option("--rates", is_flag=True, help="Sweep through learning rates, whatever it costs.")
@reported
@click.pass_context
def overfit(
    context: click.Context,
    config: str | None,
    overrides: tuple[str, ...],
    subject: str | None,
    pairs: bool,
    rates: bool,
    **paths: Path | None,
) -> None:
    """Learns a few rows by heart and says from what: their input, the labels' statistics, or not at all.

    Dropout and augmentation are off. Nothing of it stays in the model. Exit codes as for preflight.
    """
    from diagnose.cli import facts_from, write
    from diagnose.conduct import examine
    from diagnose.engine import installed
    from diagnose.facts import Refusal
    from diagnose.learning_lines import more_lines
    from diagnose.render.live import watching
    from diagnose.render.text import show
    from diagnose.runner import Selection

    facts = facts_from(config, overrides, subject) | ({"pairs_asked": True} if pairs else {})
    engine = installed()
    with watching() as watcher:
        facts_seen = engine.context(facts, watcher)
        done = examine(engine, facts_seen, Selection((Stage.LEARNING,), everything=True), watcher=watcher)
    show(done, terminal.console())
    try:
        terminal.answer("\n".join(told(facts_seen.get("overfit_curve"))))
    except Refusal as refusal:
        terminal.answer(f"verdict: cannot be said: {refusal.reason}")
    terminal.answer("\n".join(more_lines(facts_seen, pairs, rates)))
    write(done.report, **paths)
    context.exit(done.report.exit_code)


def told(run: Any) -> Iterator[str]:
    """The curve, the floors beside it, and the verdict."""
    curve = run.books if len(run.books) == len(run.curve) else run.curve
    kind = "cross-entropy for each label" if curve is run.books else "loss"
    yield f"{kind}, {run.updates} updates on {run.rows} rows ({run.where})"
    yield f"  {curve[0]:.3g} {sparkline(curve)} {curve[-1]:.3g}"
    yield from (f"  {value:8.3g}  {name}" for name, value in floors(run))
    for note in run.notes:
        yield f"  {note}"
    right = "" if run.accuracy is None else f", {run.accuracy:.0%} of {run.tokens} labels right"
    yield f"verdict: {run.verdict}{right}; {run.updates} updates, {run.seconds:.1f} s"


def floors(run: Any) -> Iterator[tuple[str, float]]:
    """What is known without looking at the rows, dearest first."""
    named = {
        "ln V: nothing is known": run.uniform,
        "entropy of these labels: without input and prefix": run.unigram,
        "with the prefix and without the input": run.blind,
        "with the inputs exchanged between the rows": run.swapped if run.book is None else run.swapped_book,
        "as the rows are": run.final if run.book is None else run.book,
    }
    return ((name, value) for name, value in named.items() if value is not None)


def sparkline(values: Any, width: int = WIDTH) -> str:
    """At most so many bars, each the mean of its share of the values, the lowest at the bottom."""
    count = min(width, len(values))
    parts = [values[len(values) * n // count : max(len(values) * (n + 1) // count, 1)] for n in range(count)]
    means = [sum(part) / len(part) for part in parts if part]
    finite = [mean for mean in means if mean - mean == 0]
    low, span = min(finite, default=0.0), max(finite, default=0.0) - min(finite, default=0.0)
    tops = [(mean - low) / span if span and mean - mean == 0 else 1.0 * (mean - mean != 0) for mean in means]
    return "".join(BARS[min(int(top * len(BARS)), len(BARS) - 1)] for top in tops)

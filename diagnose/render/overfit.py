"""What `diagnose overfit` prints: the curve and verdict of its one batch, then pairs and the learning rate."""

from collections.abc import Callable, Iterator
from typing import Any

from diagnose.engine.context import Context, FactError
from diagnose.render.sparkline import sparkline

MAX_SWEEP = 30.0  # seconds; a longer sweep is left out unless --rates is there
UPDATES, FORWARDS = 37, 2  # of a sweep, and extra forward passes for each


def curve_and_verdict(facts: Context) -> tuple[list[str], bool]:
    """Lines of the curve and the verdict, or why there is none; whether there is one."""
    try:
        run = facts.get("overfit_curve")
    except FactError as refusal:
        return [f"verdict: inconclusive: {refusal.reason}"], False
    return [*overfit_lines(run)], bool(run.has_verdict)


def overfit_lines(run: Any) -> Iterator[str]:
    """The curve, the floors to compare it with, and the verdict."""
    curve = run.cross_entropies if len(run.cross_entropies) == len(run.curve) else run.curve
    kind = "cross-entropy for each label" if curve is run.cross_entropies else "loss"
    yield f"{kind}, {run.updates} updates on {run.rows} rows ({run.where})"
    yield f"  {curve[0]:.3g} {sparkline(curve)} {curve[-1]:.3g}"
    yield from (f"  {value:8.3g}  {name}" for name, value in floors(run))
    for note in run.notes:
        yield f"  {note}"
    yield from generation_lines(run)
    right = "" if run.accuracy is None else f", {run.accuracy:.0%} of {run.tokens} labels right"
    why = "" if run.has_verdict else f": {run.ended}"
    yield f"verdict: {run.verdict}{why}{right}; {run.updates} updates, {run.seconds:.1f} s"


def generation_lines(run: Any) -> Iterator[str]:
    """What it generates for the rows it has learned, where it can."""
    if run.generated:
        yield f"  free running: {run.generated_correctly} of {len(run.generated)} texts equal their references"
    for text, reference in run.generated:
        if text != reference:
            yield f"    generated {text!r}, expected {reference!r}"


def floors(run: Any) -> Iterator[tuple[str, float]]:
    """The losses that a model reaches without the input, highest first."""
    named = {
        "ln V: a uniform prediction": run.uniform,
        "unigram entropy: without the input and the prefix": run.unigram,
        "with the prefix and without the input": run.prefix_entropy,
        "with the inputs swapped between rows": run.swapped if run.cross_entropy is None else run.swapped_cross_entropy,
        "with the right inputs": run.final if run.cross_entropy is None else run.cross_entropy,
    }
    return ((name, value) for name, value in named.items() if value is not None)


def extra_lines(facts: Context, pairs: bool, rates: bool) -> Iterator[str]:
    """Pairs, then the learning rate; what was left out, with the reason."""
    yield from _lines_of(facts, "pair_tests", "pairs", relation_lines)
    if pairs:
        yield from _lines_of(facts, "swapped_target_loss", "pairs", loss_lines)
    yield from _lines_of(facts, "rate_trial", "learning rate", rate_lines)
    seconds = _sweep_seconds(facts)
    if rates or (seconds is not None and seconds <= MAX_SWEEP):
        yield from _lines_of(facts, "rate_sweep", "learning rate sweep", sweep_lines)
    elif seconds is not None:
        yield f"learning rate sweep: skipped, it takes about {seconds:.0f} s; add --rates to run it"


def _lines_of(facts: Context, name: str, title: str, lines: Callable[[Any], Iterator[str]]) -> Iterator[str]:
    try:
        yield from lines(facts.get(name))
    except FactError as refusal:
        yield f"{title}: skipped: {refusal.reason}"


def _sweep_seconds(facts: Context) -> float | None:
    step = facts.get_or_none("first_step")
    return step and float(UPDATES * ((1 + FORWARDS) * step.forward_seconds + step.backward_seconds))


def relation_lines(found: Any) -> Iterator[str]:
    yield f"pairs: linear regression, {found.rows} rows, {found.seconds:.1f} s"
    for one in (*(one for one in found.train if one.whole), *(one for one in found.evaluation if one.whole)):
        shift = f"; shifted by {one.shift:+d} rows: z = {one.shifted:.1f}" if one.shift else ""
        yield f"  {one.where}: right pairs fit better, z = {one.z_score:.1f}, p = {one.p_value:.2g}{shift}"


def loss_lines(found: Any) -> Iterator[str]:
    yield f"pairs: the model's loss on {found.rows} held-out rows, {found.updates} updates, {found.seconds:.1f} s"
    yield f"  right pairs {found.own:.4g}, swapped {found.swapped:.4g}, p = {found.p_value:.2g}"
    if found.updates:
        yield f"  before any training: right pairs {found.before:.4g}, p = {found.before_chance:.2g}"


def rate_lines(trial: Any) -> Iterator[str]:
    walks = [walk for walk in (trial.lower, trial.peak, trial.more) if walk is not None]
    yield f"learning rate: {trial.rate:.3g} at its peak, {trial.precision}, {trial.seconds:.1f} s"
    for walk in walks:
        curve = f"{walk.first:.3g} {sparkline(walk.losses)} {walk.last:.3g}"
        yield f"  {trial.rate * walk.share:8.2g}  {curve}  ({walk.updates} updates)"


def sweep_lines(sweep: Any) -> Iterator[str]:
    rates, low, high = sweep.rates, sweep.low, sweep.high
    yield f"learning rate sweep: {len(rates)} updates from {rates[0]:.2g} to {rates[-1]:.2g}, {sweep.seconds:.1f} s"
    yield f"  {sweep.losses[0]:.3g} {sparkline(sweep.losses)} {sweep.losses[-1]:.3g}"
    if low is None:
        yield "  the loss decreases at none of them"
        return
    place = "below it" if sweep.configured < low else "above it" if sweep.configured > high else "inside"
    yield f"  suggested: {low:.2g} to {high:.2g}; configured: {sweep.configured:.2g}, {place}"

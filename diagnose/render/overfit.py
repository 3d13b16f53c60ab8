"""What `diagnose overfit` prints of pairs and of the learning rate, beside the curve of its one batch."""

from collections.abc import Callable, Iterator
from typing import Any

from diagnose.engine.context import Context, FactError
from diagnose.render.sparkline import sparkline

SWEEP = 30.0  # seconds; a dearer sweep is left out unless it is asked for
UPDATES, FORWARDS = 37, 2  # of a sweep, and forward passes beside each


def extra_lines(facts: Context, pairs: bool, rates: bool) -> Iterator[str]:
    """Pairs, then the learning rate; what was left out, with the reason."""
    yield from _told(facts, "pair_tests", "pairs", relation_lines)
    if pairs:
        yield from _told(facts, "swapped_target_loss", "pairs", loss_lines)
    yield from _told(facts, "rate_trial", "learning rate", rate_lines)
    seconds = _sweep_seconds(facts)
    if rates or (seconds is not None and seconds <= SWEEP):
        yield from _told(facts, "rate_sweep", "range of rates", sweep_lines)
    elif seconds is not None:
        yield f"range of rates: left out, it takes about {seconds:.0f} s; --rates takes the time"


def _told(facts: Context, name: str, title: str, lines: Callable[[Any], Iterator[str]]) -> Iterator[str]:
    try:
        yield from lines(facts.get(name))
    except FactError as refusal:
        yield f"{title}: skipped: {refusal.reason}"


def _sweep_seconds(facts: Context) -> float | None:
    try:
        step = facts.get("first_step")
    except FactError:
        return None
    return float(UPDATES * ((1 + FORWARDS) * step.forward_seconds + step.backward_seconds))


def relation_lines(found: Any) -> Iterator[str]:
    yield f"pairs: a linear teacher, {found.rows} rows, {found.seconds:.1f} s"
    for one in (*(one for one in found.train if one.whole), *(one for one in found.evaluation if one.whole)):
        shift = f"; moved by {one.shift:+d} rows by {one.shifted:.1f}" if one.shift else ""
        yield f"  {one.where}: own targets fit better by {one.z_score:.1f} sigmas, chance {one.p_value:.2g}{shift}"


def loss_lines(found: Any) -> Iterator[str]:
    yield f"pairs: the model's loss on {found.rows} rows kept out, {found.updates} updates, {found.seconds:.1f} s"
    yield f"  own targets {found.own:.4g}, swapped {found.swapped:.4g}, chance {found.p_value:.2g}"
    if found.updates:
        yield f"  before any training: own targets {found.before:.4g}, chance {found.before_chance:.2g}"


def rate_lines(trial: Any) -> Iterator[str]:
    walks = [walk for walk in (trial.lower, trial.peak, trial.more) if walk is not None]
    yield f"learning rate: {trial.rate:.3g} at its peak, {trial.precision}, {trial.seconds:.1f} s"
    for walk in walks:
        curve = f"{walk.first:.3g} {sparkline(walk.losses)} {walk.last:.3g}"
        yield f"  {trial.rate * walk.share:8.2g}  {curve}  ({walk.updates} updates)"


def sweep_lines(sweep: Any) -> Iterator[str]:
    rates, low, high = sweep.rates, sweep.low, sweep.high
    yield f"range of rates: {len(rates)} updates from {rates[0]:.2g} to {rates[-1]:.2g}, {sweep.seconds:.1f} s"
    yield f"  {sweep.losses[0]:.3g} {sparkline(sweep.losses)} {sweep.losses[-1]:.3g}"
    if low is None:
        yield "  the loss falls at none of them"
        return
    place = "below it" if sweep.configured < low else "above it" if sweep.configured > high else "inside"
    yield f"  suggested: {low:.2g} to {high:.2g}; configured: {sweep.configured:.2g}, {place}"

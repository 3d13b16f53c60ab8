from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.learning_rate.types import ScheduleCurve

# Healthy schedules stand still (below a thousandth of their peak) in at most 2 % of their updates (linear, cosine,
# one cycle, with and without warm-up, 100 to 100,000 updates), a polynomial of the third power in 10 %.
TAIL = 0.1
ENDS = 2  # updates: a warm-up begins at nought and a decay ends there, however short the run
HALF = 0.5  # of the run without learning: what is left is another run than the one that was asked for
CUT = 1.5  # times the run: the rate then ends above a third of its peak


@probe(id="CFG005", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("LRN*", "CFG003"))
def lr_schedule_length_differs(schedule_curve: ScheduleCurve) -> Findings:
    """The learning rate schedule is built for a different number of steps than the run takes."""
    curve, per_update, still = schedule_curve, schedule_curve.steps_per_update, schedule_curve.near_zero_fraction
    steps = curve.updates * (per_update or 1)
    if not curve.moves and not curve.error:
        return  # CFG004 says so
    if curve.error:
        said, severity = f"raises {curve.error} at update {curve.raised_at:,}", None
    elif curve.length and 2 * curve.length <= steps and curve.rises > 1:
        said, severity = f"falls and rises again {curve.rises} times", Severity.WARNING
    elif still - ENDS / curve.updates > TAIL:
        said = f"has a learning rate close to zero for {still:.0%} of the updates"
        severity = None if still >= HALF else Severity.WARNING
    elif curve.length and curve.length >= CUT * steps:
        said, severity = f"ends at {curve.end / max(curve.peak, 1e-30):.0%} of its peak", Severity.WARNING
    else:
        return
    made = f"built for {curve.length:,} steps" if curve.length else "as built"
    often = {None: "with one scheduler step per update", 1: "with one scheduler step per update"}.get(
        per_update, f"with {per_update} scheduler steps per update"
    )
    yield Finding(
        where=f"schedule {curve.kind}",
        message=f"{made}, it {said} in a run of {curve.updates:,} updates ({often}): {curve.summary}",
        fix="build the schedule for the number of updates and call scheduler.step() once after each update",
        measured={"updates": curve.updates, "length": curve.length, "still": still, "end": curve.end},
        severity=severity if per_update or said.startswith("ends at") else _unless_stepped_per_epoch(curve),
    )


def _unless_stepped_per_epoch(curve: ScheduleCurve) -> Severity:
    """Of a loop that nobody shows: a schedule whose length is neither that of the run nor its epochs is wrong."""
    known = curve.length and curve.epochs and not curve.error
    return Severity.WARNING if known and curve.length > CUT * curve.epochs else Severity.NOTE  # type: ignore[operator]

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.learning_rate.types import ScheduleCurve

# A tenth of the right rate did not learn in a run that the right one did (one tiny Whisper, 80 steps: loss 0.54 of its
# start against 0.01): below that, warm-up leaves nothing to learn with.
TENTH = 0.1


@probe(id="CFG003", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("LRN*",))
def warmup_is_longer_than_run(schedule_curve: ScheduleCurve) -> Findings:
    """The warmup is longer than the run, so the learning rate never reaches its peak."""
    curve = schedule_curve
    if not curve.rises_to_the_end or (curve.warmup or curve.updates) < curve.updates:
        return
    reached = curve.updates / curve.warmup if curve.warmup else curve.end / max(curve.base, curve.end, 1e-30)
    steps = f"{curve.warmup:,} warmup updates" if curve.warmup else "a warmup"
    yield Finding(
        where=f"schedule {curve.kind}",
        message=f"{steps} in a run of {curve.updates:,} updates: {curve.summary}; expected to reach {curve.base:.3g}",
        fix="set the warmup to about 10 % of the run, or train longer",
        measured={"updates": curve.updates, "warmup": curve.warmup, "end": curve.end, "base": curve.base},
        severity=None if reached < TENTH else Severity.WARNING,
    )

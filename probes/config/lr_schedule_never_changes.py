from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.learning_rate.types import ScheduleCurve

CONSTANT_KINDS = ("constant", "ConstantLR", "LambdaLR")  # these may stand still because somebody wants them to


@probe(id="CFG004", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("LRN*", "GRD*"))
def lr_schedule_never_changes(schedule_curve: ScheduleCurve) -> Findings:
    """The learning rate schedule never changes the learning rate, or keeps it at zero."""
    curve = schedule_curve
    if curve.moves or curve.error or curve.updates < 2:
        return
    still = curve.peak <= 0
    if not still and any(word in curve.kind for word in CONSTANT_KINDS):
        return
    yield Finding(
        where=f"schedule {curve.kind}",
        message=f"the learning rate is {curve.first:.3g} at each of {curve.updates:,} updates ({curve.summary}); "
        f"expected {'more than 0' if still else 'a decrease before the end'}",
        fix="set a learning rate above 0 in the optimizer"
        if still
        else "build the schedule for the number of updates of this run",
        measured={"updates": curve.updates, "rate": curve.first, "length": curve.length},
        severity=None if still else Severity.WARNING,
    )

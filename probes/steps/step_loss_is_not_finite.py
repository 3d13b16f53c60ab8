from math import isfinite

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding

FIRST = 10  # steps that decide: what is wrong in them was wrong before the run


@probe(id="STP001", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP00[234]", "STP02[0-2]"))
def step_loss_is_not_finite(records: Records) -> Findings:
    """The training loss is NaN or Inf."""
    broken = records.broken
    if broken is None or broken[0] != "loss":
        return
    row = broken[1]
    before = [value for value in records.series("loss").values if isfinite(value)]
    passed = records.recovered()
    if row.step <= FIRST and not passed:
        when = f"within the first {FIRST} steps: stop"
    else:
        when = f"the last finite one was {before[-1]:.4g}" if before else "no finite one was logged before"
    after = "later losses are finite" if passed else "all later losses are not finite"
    yield step_finding(
        records,
        row.step,
        f"the loss is {row.loss}, expected a finite number above 0; {when}; {after}",
        "run diagnose nan-bisect on this step: it names the row, the module and the operation",
        Severity.WARNING if passed else None,
        loss=str(row.loss),
        lr=row.lr,
    )

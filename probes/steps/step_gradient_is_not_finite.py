from math import isfinite

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding

# A scaler that has found its scale tries a larger one every 2000 steps, and may look for it over ten steps at first.
SEEKING, SHARE = 10, 0.05
BACKWARD = "the forward pass is finite, the backward pass is not"
ELSEWHERE = "the loss of this process is finite; its backward pass or another process is not"
HIDDEN = "losses of 0 at these steps are NaN values that the Trainer replaced (logging_nan_inf_filter)"


@probe(id="STP002", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP001", "STP003", "STP004", "STP02[0-2]"))
def step_gradient_is_not_finite(records: Records) -> Findings:
    """The gradient norm is NaN or Inf although the loss is finite."""
    broken = records.broken
    if broken is None or broken[0] != "grad_norm" or (records.scaled and records.series("scale").values):
        return  # what a scaler does with it, its scale tells (STP019)
    norms = records.series("grad_norm").values
    bad = sum(not isfinite(norm) for norm in norms)
    harmless = records.recovered()
    row = broken[1]
    sought = any(not isfinite(r.grad_norm or 0.0) for r in records.rows if r.step < row.step)
    hidden = not harmless and any(later.loss == 0 for later in records.rows if later.step >= row.step)
    usual = bad <= SEEKING + SHARE * len(norms) and not hidden and records.scaled is not False
    if usual and (harmless or records.scaled or sought):
        return  # as a gradient scaler does while it looks for its scale
    loss = f"at a loss of {row.loss:.4g}" if row.loss is not None else "and the loss is not logged"
    yield step_finding(
        records,
        row.step,
        f"grad_norm is {row.grad_norm} {loss}, expected a finite number; {bad} of {len(norms)} norms are not finite: "
        + (HIDDEN if hidden else ELSEWHERE if records.processes > 1 else BACKWARD),
        "run diagnose nan-bisect on this step" + ("" if hidden else "; look for a sqrt or a norm at zero"),
        Severity.WARNING if harmless else None,
        grad_norm=str(row.grad_norm),
        not_finite=bad,
    )

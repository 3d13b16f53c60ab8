from collections.abc import Iterator
from math import isfinite

from diagnose import Finding, Severity, Stage, probe
from diagnose.records import Records
from probes.stepping import at, went_on

# A scaler that has found its scale tries a larger one every 2000 steps, and may look for it over ten steps at first.
SEEKING, SHARE = 10, 0.05


@probe(id="STP002", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP001", "STP003", "STP004", "STP02[0-2]"))
def step_gradient_is_not_finite(records: Records) -> Iterator[Finding]:
    """The norm of the gradients is NaN or infinite while the loss is a number."""
    broken = records.broken
    if broken is None or broken[0] != "grad_norm" or (records.scaled and records.series("scale").values):
        return  # what a scaler does with it, its scale tells (STP019)
    norms = records.series("grad_norm").values
    bad = sum(not isfinite(norm) for norm in norms)
    harmless = went_on(records, broken[1].step)
    usual = bad <= SEEKING + SHARE * len(norms)
    if usual and (harmless or records.scaled) and records.scaled is not False:
        return  # as a gradient scaler does while it looks for its scale
    row = broken[1]
    loss = f"at a loss of {row.loss:.4g}" if row.loss is not None else "and the loss is not logged"
    yield at(
        records,
        row.step,
        f"grad_norm is {row.grad_norm} {loss}, expected a finite number; {bad} of {len(norms)} norms are not finite: "
        "the forward pass is sound and the backward pass is not",
        "search the backward pass of this step with diagnose nan-bisect; look for a root or a norm of zero",
        Severity.WARNING if harmless else None,
        grad_norm=str(row.grad_norm),
        not_finite=bad,
    )

from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding

LEAST = 2  # in a row: one batch without a label to score has none


@probe(id="STP012", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP00[67]", "STP01[36]", "STP02[0-2]"))
def gradient_norm_is_zero(records: Records) -> Iterator[Finding]:
    """The gradient norm is exactly zero although the loss is not."""
    if 0 not in records.series("grad_norm").values:
        return
    rows = [row for row in records.finite_part.rows if row.grad_norm is not None]
    run, longest, ends = 0, 0, 0
    for row in rows:
        run = run + 1 if row.grad_norm == 0 and row.loss != 0 else 0
        if run > longest:
            longest, ends = run, row.step
    if longest < LEAST:
        return
    first = next(row for row in rows if row.grad_norm == 0 and row.loss != 0)
    loss = f"{first.loss:.4g}" if first.loss is not None else "not logged"
    yield step_finding(
        records,
        first.step,
        f"grad_norm is exactly 0 at {longest} records in a row up to step {ends}, and the loss is {loss}",
        "look for detach(), no_grad() or .item() between weights and loss, and for weights that are all frozen",
        zeros=longest,
        loss=first.loss,
    )

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import longest_run

LEAST = 2  # in a row: one batch without a label to score has none


@probe(id="STP012", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP00[67]", "STP01[36]", "STP02[0-2]"))
def gradient_norm_is_zero(records: Records) -> Findings:
    """The gradient norm is exactly zero although the loss is not."""
    if 0 not in records.series("grad_norm").values:
        return
    rows = [row for row in records.finite_part.rows if row.grad_norm is not None]
    zero = [row.grad_norm == 0 and row.loss != 0 for row in rows]
    begin, end = longest_run(zero)
    longest = end - begin
    if longest < LEAST:
        return
    first = rows[zero.index(True)]
    loss = f"{first.loss:.4g}" if first.loss is not None else "not logged"
    yield step_finding(
        records,
        first.step,
        f"grad_norm is exactly 0 at {longest} records in a row up to step {rows[end - 1].step}, and the loss is {loss}",
        "look for detach(), no_grad() or .item() between weights and loss, and check that not all weights are frozen",
        zeros=longest,
        loss=first.loss,
    )

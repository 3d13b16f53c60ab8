from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding

LEAST, SEEKING = 10, 20  # records; a gradient scaler may skip the first updates
# Adam moves a weight by about the learning rate a step, and usual weights are of the order 0.02; SGD moves all of them
# together by rate times gradient. Beyond both, float32 (6e-8) cannot hide that something moved.
MOVED_EACH, MOVED_TOGETHER = 1e-3, 1e-4


@probe(id="STP016", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP00[67]", "STP021", "STP022"))
def weights_do_not_change(records: Records) -> Findings:
    """The weights do not change although the learning rate is above zero."""
    norms = records.finite_part.series("weight_norm").values
    if len(norms) < (LEAST if records.scaled is False else SEEKING) or norms[0] != norms[-1]:
        return
    rows = [row for row in records.finite_part.rows if row.weight_norm is not None]
    if any(row.weight_norm != rows[0].weight_norm for row in rows):
        return
    norm = rows[0].weight_norm or 0.0
    each = sum(row.lr or 0.0 for row in rows[1:])
    together = sum((row.lr or 0.0) * min(row.grad_norm or 0.0, row.clip or float("inf")) for row in rows[1:])
    if each < MOVED_EACH or together < MOVED_TOGETHER * norm:
        return
    yield step_finding(
        records,
        rows[-1].step,
        f"the norm of all weights is {norm!r} at all {len(rows)} records up to step {rows[-1].step}, although the "
        f"summed learning rate is {each:.3g} and gradients are nonzero",
        "check that the optimizer was created after the last change of the model and that step() is called",
        weight_norm=norm,
        looks=len(rows),
    )

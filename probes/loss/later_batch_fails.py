from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.later_types import LaterBatch
from probes.reporting.failure_finding import failure_finding
from probes.reporting.first_names import first_names
from probes.reporting.step_result import describe


@probe(id="LOS017", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LRN*",))
def later_batch_fails(later_batches: tuple[LaterBatch, ...]) -> Findings:
    """A later batch raises, or its loss or gradients are NaN or Inf, though the first batch runs."""
    for one in later_batches:
        result = one.result
        if one.bad or not result.fails:
            continue
        where = result.kind + (f" ({first_names(result.rows, 4)})" if result.rows else "")
        message = f"{result.kind}, with {one.why}, input {list(result.shape)}: {describe(result)}; the first batch runs"
        if result.failure is not None:
            fix = "load this batch again and find the row that raises"
            yield failure_finding(result.failure, "forward", where, message, fix, module=result.failure.module)
        else:
            fix = "run diagnose.nan_bisect on this batch: it names the row and the operation"
            yield Finding(where, message, fix, {"loss": str(result.loss), "bad_gradients": len(result.bad_gradients)})

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import ExtremeBatches
from probes.reporting.failure_finding import failure_finding
from probes.reporting.first_names import first_names
from probes.reporting.step_result import describe


@probe(id="LOS015", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LRN*",))
def longest_or_shortest_batch_fails(extreme_batches: ExtremeBatches) -> Findings:
    """A batch of the longest or shortest rows raises, or its loss or gradients are NaN or Inf."""
    for one in extreme_batches.batches:
        where = f"{one.kind} ({first_names(one.rows, 4)})"
        if one.failure is not None:
            message = f"with {one.kind}, input {list(one.shape)}: {one.failure}; the first batch runs"
            fix = f"limit the row length so that {one.kind} run too"
            yield failure_finding(one.failure, "forward", where, message, fix, module=one.failure.module)
        elif one.fails:
            message = f"with {one.kind}, input {list(one.shape)}: {describe(one)}, expected finite; the first batch is"
            fix = "set a minimum and a maximum row length, and add an epsilon to every division and logarithm"
            yield Finding(where, message, fix, {"loss": str(one.loss), "bad_gradients": len(one.bad_gradients)})

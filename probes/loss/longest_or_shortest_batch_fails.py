from math import isfinite

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import ExtremeBatches, ExtremeBatchResult
from probes.reporting.failure_finding import failure_finding
from probes.reporting.first_names import first_names


@probe(id="LOS015", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LRN*",))
def longest_or_shortest_batch_fails(extreme_batches: ExtremeBatches) -> Findings:
    """A batch of the longest or shortest rows raises, or its loss or gradients are NaN or Inf."""
    for one in extreme_batches.batches:
        where = f"{one.kind} ({first_names(one.rows, 4)})"
        if one.failure is not None:
            message = f"with {one.kind}, input {list(one.shape)}: {one.failure}; the first batch ran"
            fix = f"bound the length of rows so that {one.kind} run too"
            yield failure_finding(one.failure, "forward", where, message, fix, module=one.failure.module)
        elif one.loss is None or not isfinite(one.loss) or one.bad_gradients:
            yield _not_finite(one, where)


def _not_finite(one: ExtremeBatchResult, where: str) -> Finding:
    loss = "none" if one.loss is None else f"{one.loss:.4g}"
    count = len(one.bad_gradients)
    bad = f"; {count} gradients hold NaN or Inf, first {one.bad_gradients[0]}" if count else ""
    return Finding(
        where=where,
        message=f"with {one.kind}, input {list(one.shape)}: Loss: {loss}{bad}, expected finite; the first batch is",
        fix="bound the length of rows at both ends, and give every division and logarithm an epsilon",
        measured={"loss": loss, "bad_gradients": count},
    )

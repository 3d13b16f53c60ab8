from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.later_types import LaterBatch
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding
from probes.reporting.step_result import describe

FIX = "repair or drop these rows, and check torch.isfinite in the collator"


@probe(id="LOS050", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def batch_value_is_not_finite(nan_origin: BisectResult, later_batches: tuple[LaterBatch, ...] = ()) -> Findings:
    """A value in a batch is NaN or Inf, which makes the step non-finite."""
    for origin in nan_origin.with_cause("data"):
        refused = f"{origin.module} contains it, and the dataset rejects such a file"
        story = refused if origin.kind else f"the collator returned it in {origin.module}"
        yield nonfinite_finding(origin, story, FIX)
    for later in later_batches:
        if later.bad and later.result.fails:
            yield _later_finding(later)


def _later_finding(later: LaterBatch) -> Finding:
    bad, result = later.bad[0], later.result
    row = "" if bad.row is None else f", row {bad.row}"
    item = f" ({result.rows[bad.row]})" if bad.row is not None and bad.row < len(result.rows) else ""
    amount = f"{bad.count:,} of {bad.size:,} values are NaN or Inf"
    message = f"{bad.key} of {result.kind}: {amount}; {describe(result)}, expected finite values; the first batch runs"
    where = f"{result.kind}, {bad.key}{row}{item}"
    return Finding(where, message, FIX, {"key": bad.key, "row": bad.row, "values": bad.count})

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.weight_types import MissingKeys


@probe(id="PAR007", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("TOK012", "LOS*", "LRN*", "GEN*"))
def weights_missing_from_checkpoint(missing_parameters: MissingKeys) -> Findings:
    """Weights are missing from the checkpoint and unexpectedly start from random values."""
    keys = missing_parameters
    rows = [row for row in keys.rows if not row.expected]
    size = sum(row.size for row in rows)
    torn = [row for row in rows if row.neighbour]
    if not rows:
        return
    # A new head for classes is the usual case and no fault. A layer that is not there while its neighbour is, the
    # tokens' own table or head, or most of the model, is a checkpoint of something else; so is any matrix beyond
    # what was said to be fresh.
    worst = torn[0] if torn else rows[0]
    grave = torn or 2 * size > keys.total or any(row.table or (keys.declared and row.matrix) for row in rows)
    why = f" although {torn[0].neighbour} was" if torn else ", and `fresh` does not name it" * keys.declared
    yield Finding(
        where=worst.name,
        message=f"it was not in the checkpoint{why}: {len(rows)} parameters, {size:,} of {keys.total:,} values "
        f"({100 * size / keys.total:.1f}%), start from random values",
        fix="load the checkpoint of this architecture, or name the new modules in `fresh`",
        measured={"missing": len(rows), "values": size, "total": keys.total},
        severity=None if grave else Severity.NOTE,
    )

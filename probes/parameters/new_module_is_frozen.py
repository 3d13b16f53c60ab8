from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import NewParameters, Parameters
from probes.reporting.first_names import first_names


@probe(id="PAR003", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("PAR004", "PAR016", "LRN*", "GEN*"))
def new_module_is_frozen(parameters: Parameters, new_parameters: NewParameters) -> Findings:
    """A newly initialized module is frozen, so its weights stay random."""
    new = {*new_parameters.declared, *new_parameters.absent}
    rows = [row for row in parameters.rows if row.name in new and not row.trainable]
    # A lone vector (the embedding of masked frames, a bias) changes little: what stays random must be a matrix.
    if any(len(row.shape) > 1 for row in rows) and parameters.trainable:
        size, whole = sum(row.size for row in rows), sum(row.size for row in parameters.rows if row.name in new)
        yield Finding(
            where=rows[0].name,
            message=f"it {new_parameters.why(rows[0].name)} and is frozen: {size:,} of {whole:,} new values stay "
            f"random, expected 0 ({first_names([row.name for row in rows])})",
            fix="set requires_grad on every new part, after the call that freezes what is around it",
            measured={"frozen": size, "new": whole, "tensors": len(rows)},
        )

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.influence.types import BatchChange

SAME = 1e-6  # relative: the same pass on the same values


@probe(id="LOS023", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "LRN*", "GEN*"))
def forward_changes_its_batch(batch_change: BatchChange) -> Findings:
    """The forward pass changes its batch in place, so the next epoch gets other values."""
    first, second = batch_change.losses
    differs = not abs(first - second) <= SAME * abs(first)
    if not batch_change.names or (not batch_change.changed_twice and not differs):
        return  # written once and the same ever after, such as -100 for padding
    in_memory = batch_change.in_memory
    kind = "stay in memory, so each epoch gets changed values" if in_memory else "are created again in each epoch"
    where = batch_change.names[0]
    yield Finding(
        where=where,
        message=f"the forward pass changes {where} in place; the loss is {first:.5g}, then {second:.5g} for the same "
        f"batch, expected the same; batches {kind}",
        fix="replace x.mul_(), x -= y and x[...] = y by x * y, x - y and where(), or clone the input first",
        measured={"tensors": len(batch_change.names), "first": first, "second": second},
        severity=None if in_memory else Severity.NOTE,
    )

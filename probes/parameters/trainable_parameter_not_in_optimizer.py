from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters
from probes.reporting.first_names import first_names


@probe(id="PAR002", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("LRN*",))
def trainable_parameter_not_in_optimizer(optimizer_parameters: Parameters) -> Findings:
    """A trainable parameter is in no parameter group of the optimizer, so it is never updated."""
    left = [row for row in optimizer_parameters.rows if row.trainable and not row.groups]
    if left:
        size, strangers = sum(row.size for row in left), optimizer_parameters.foreign
        stale = f"; the optimizer has {strangers} tensors that do not belong to the model" if strangers else ""
        yield Finding(
            where=left[0].name,
            message=f"{size:,} of {optimizer_parameters.trainable:,} trainable values are in no parameter group of "
            f"the optimizer{stale}: {first_names([row.name for row in left])}",
            fix="create the optimizer after every resize, unfreeze and new layer, with all trainable parameters",
            measured={"left_out": size, "tensors": len(left), "strangers": strangers},
        )

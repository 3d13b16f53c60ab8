from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters


@probe(id="PAR006", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("PAR002", "LRN*"))
def optimizer_holds_foreign_parameters(optimizer_parameters: Parameters) -> Findings:
    """The optimizer holds parameters that do not belong to the model."""
    table = optimizer_parameters
    wanted = [row for row in table.rows if row.trainable]
    held = [row for row in wanted if row.groups]
    # Some of the model's own left out is a stale optimiser, which PAR002 names. All held and some beside them may be
    # a loss with weights of its own: told, no alarm.
    if not table.foreign or not wanted or 0 < len(held) < len(wanted):
        return
    yield Finding(
        where="optimizer",
        message=f"{table.foreign} of its tensors do not belong to the model, and it has {len(held)} of the model's "
        f"{len(wanted)} trainable "
        f"tensors{'' if held else ': it was created for another model, or before the model was copied'}",
        fix="create the optimizer from the parameters of the model that is trained",
        measured={"strangers": table.foreign, "held": len(held), "trainable": len(wanted)},
        severity=Severity.NOTE if held else None,
    )

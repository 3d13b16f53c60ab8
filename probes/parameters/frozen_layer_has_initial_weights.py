from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.influence.types import FrozenLayer
from probes.facts.parameters.types import NewParameters, Parameters


@probe(id="PAR020", stage=Stage.PARAMETERS, severity=Severity.WARNING, explains=("PAR015",))
def frozen_layer_has_initial_weights(
    untrained_frozen_layers: tuple[FrozenLayer, ...],
    parameters: Parameters,
    new_parameters: NewParameters | None = None,
) -> Findings:
    """A single layer is frozen with its initial random weights, in between layers that train."""
    new = {*new_parameters.declared, *new_parameters.absent} if new_parameters else set()
    for layer in untrained_frozen_layers:
        if any(name.startswith(f"{layer.module}.") for name in new):
            continue  # told by another probe
        yield Finding(
            where=layer.module,
            message=f"this {layer.kind} is frozen and its {layer.size:,} values ({layer.size / parameters.total:.1%}) "
            "still follow their initial distribution, while neighboring layers train; expected trained values",
            fix=f"set requires_grad=True on {layer.module}, or load its trained weights",
            measured={"size": layer.size, "total": parameters.total},
        )

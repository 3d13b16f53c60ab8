from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import ReusedLayer

SHOWN = 4


@probe(id="PAR021", stage=Stage.PARAMETERS, severity=Severity.NOTE)
def layer_is_used_several_times(reused_layers: tuple[ReusedLayer, ...]) -> Findings:
    """One layer instance is used several times, so its uses share weights and change together."""
    for layer in reused_layers:
        names = ", ".join(layer.names[:SHOWN]) + (", …" if len(layer.names) > SHOWN else "")
        several = len(layer.names) > 1
        yield Finding(
            where=names,
            message=f"these {layer.calls} names are one instance with one set of weights, expected one for each"
            if several
            else f"it runs {layer.calls} times in a forward pass, on its own earlier output, expected one instance for "
            "each use",
            fix="create a new layer for each use, in a list comprehension; where weights are shared on purpose, "
            "ignore this",
            measured={"calls": layer.calls, "names": len(layer.names)},
        )

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.influence.types import UnusedLayer


@probe(id="GRD024", stage=Stage.GRADIENTS, severity=Severity.WARNING, explains=("GRD001", "LRN003", "DST004"))
def layer_is_never_used(unused_layers: tuple[UnusedLayer, ...]) -> Findings:
    """A trainable layer is never used: no forward pass calls it."""
    for layer in unused_layers:
        if layer.library:
            continue  # a library's model has layers for other tasks
        yield Finding(
            where=layer.module,
            message=f"no forward pass calls this {layer.kind}, in train or eval mode; its {layer.size:,} trainable "
            f"values ({layer.share:.1%} of the trainable parameters) get no gradient",
            fix=f"call {layer.module} in forward, or remove it",
            measured={"size": layer.size, "share": layer.share},
        )

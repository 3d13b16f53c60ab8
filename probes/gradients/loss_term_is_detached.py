from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import RepeatedStep

# A head that only watches (a probe on detached features) is small; a decoder trains a tenth of the model and more.
LARGE = 0.1


@probe(id="GRD010", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def loss_term_is_detached(repeated_step: RepeatedStep) -> Findings:
    """A term of the loss is detached from a module that it depends on."""
    cut = [part for part in repeated_step.parts if part.followed]
    for part in cut:
        small = part.share < LARGE
        yield Finding(
            where=part.module,
            message=f"the loss term {part.function} ({part.value:.4g}, {part.share:.1%} of the trainable parameters) "
            f"depends on this {part.kind}, but its graph contains none of the {part.tensors} tensors",
            fix=f"remove the detach(), .data or no_grad between {part.module} and {part.function}"
            if not small
            else f"keep the detach() only if {part.function} is meant for monitoring and must not train {part.module}",
            measured={"summand": part.function, "value": part.value, "share": part.share, "tensors": part.tensors},
            severity=Severity.NOTE if small else None,
        )

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import GradientReach
from probes.reporting.first_names import first_names

# As for a missing gradient: a small dead corner is told, a tenth of what trains closes the gate.
LARGE = 0.1


@probe(id="GRD002", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def module_gradient_is_zero(gradient_reach: GradientReach) -> Findings:
    """A trainable module gets gradients that are exactly zero."""
    zero = [cut for cut in gradient_reach.cuts if not cut.missing]
    for cut in zero:
        share = gradient_reach.share(cut)
        if share >= LARGE:
            yield Finding(
                where=cut.module,
                message=f"all {cut.tensors} gradients of this {cut.kind} ({share:.1%} of the trainable parameters) "
                "are exactly 0; they stay 0 in eval mode and after a small change of all weights",
                fix="remove the factor 0, the full mask or the dead activation after it",
                measured={"tensors": cut.tensors, "share": share, "loss_follows": cut.followed},
            )
    small = [cut for cut in zero if gradient_reach.share(cut) < LARGE]
    if small:
        names = first_names([cut.module for cut in small])
        yield Finding(
            where=small[0].module,
            message=f"the gradients of {len(small)} small modules are exactly 0, expected nonzero values: {names}",
            fix="check the modules after them: a mask, a gate or an activation sets them to 0",
            measured={"parts": len(small), "size": sum(cut.size for cut in small)},
            severity=Severity.NOTE,
        )

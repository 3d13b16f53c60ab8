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
                message=f"all {cut.tensors} gradients of this {cut.kind} ({share:.1%} of what trains) are exactly 0, "
                "expected some size; they stay 0 in evaluation mode and with all weights nudged",
                fix="remove the factor of 0, the mask that covers everything or the dead activation after it",
                measured={"tensors": cut.tensors, "share": share, "loss_follows": cut.followed},
            )
    small = [cut for cut in zero if gradient_reach.share(cut) < LARGE]
    if small:
        names = first_names([cut.module for cut in small])
        yield Finding(
            where=small[0].module,
            message=f"the gradients of {len(small)} small parts are exactly 0, expected some size: {names}",
            fix="look at what these parts feed: a mask, a gate or an activation turns them off",
            measured={"parts": len(small), "size": sum(cut.size for cut in small)},
            severity=Severity.NOTE,
        )

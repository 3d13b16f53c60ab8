from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import GradientReach, UnreachedModule
from probes.reporting.first_names import first_names

# Of what is meant to train. An unused pooler of BERT-base is 0.5 %, of a tiny one 6 %; an encoder is a third and more.
LARGE = 0.1


@probe(id="GRD001", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*", "GEN*", "DST004"))
def module_gets_no_gradient(gradient_reach: GradientReach) -> Findings:
    """A trainable module gets no gradient: the graph is cut, or the loss does not use its output."""
    missing = [cut for cut in gradient_reach.cuts if cut.missing and not cut.elsewhere]
    grave = [cut for cut in missing if cut.followed or gradient_reach.share(cut) >= LARGE]
    grave = [cut for cut in grave if not cut.no_grad]
    yield from (_finding(cut, gradient_reach.share(cut)) for cut in grave)
    small = [cut for cut in missing if cut not in grave]
    fixed = [cut for cut in small if cut.no_grad]
    if fixed:
        yield Finding(
            where=fixed[0].module,
            message=f"the class of {first_names([cut.module for cut in fixed])} computes it under torch.no_grad, so "
            "it never changes although requires_grad is True",
            fix="freeze it: requires_grad_(False)",
            measured={"parts": len(fixed), "size": sum(cut.size for cut in fixed)},
            severity=Severity.NOTE,
        )
    small = [cut for cut in small if not cut.no_grad]
    if small:
        names = first_names([cut.module for cut in small])
        yield Finding(
            where=small[0].module,
            message=f"{len(small)} small modules get no gradient, and changing them does not change the loss: {names}",
            fix="freeze them, or use their output in the loss",
            measured={"parts": len(small), "size": sum(cut.size for cut in small)},
            severity=Severity.NOTE,
        )


def _finding(cut: UnreachedModule, share: float) -> Finding:
    head = f"{cut.tensors} tensors of the {cut.kind} ({share:.1%} of the parameters) get no gradient (None), "
    if cut.followed:
        told = "expected one for each; changing them changes the loss, so the graph is cut"
        fix = f"remove the detach(), .data, no_grad or numpy between {cut.module} and the loss"
    else:
        told = "expected one for each; changing them does not change the loss, so their output is not used"
        fix = f"use the output of {cut.module} in the loss, or freeze it"
    measured = {"tensors": cut.tensors, "share": share, "loss_follows": cut.followed}
    return Finding(where=cut.module, message=head + told, fix=fix, measured=measured)

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
    yield from (_finding(cut, gradient_reach.share(cut)) for cut in grave)
    small = [cut for cut in missing if cut not in grave]
    if small:
        names = first_names([cut.module for cut in small])
        yield Finding(
            where=small[0].module,
            message=f"{len(small)} small parts get no gradient, and the loss does not follow when they change: {names}",
            fix="freeze them, or use their output in the loss",
            measured={"parts": len(small), "size": sum(cut.size for cut in small)},
            severity=Severity.NOTE,
        )


def _finding(cut: UnreachedModule, share: float) -> Finding:
    head = f"{cut.tensors} trainable tensors of this {cut.kind} ({share:.1%} of what trains) get no gradient (None), "
    if cut.followed:
        told = "expected one for each; the loss follows when they change, so the graph is cut on the way"
        fix = f"remove the detach(), .data, no_grad or numpy between {cut.module} and the loss"
    else:
        told = "expected one for each; the loss does not follow when they change, so nothing reads their output"
        fix = f"use the output of {cut.module} in the loss, or freeze it"
    measured = {"tensors": cut.tensors, "share": share, "loss_follows": cut.followed}
    return Finding(where=cut.module, message=head + told, fix=fix, measured=measured)

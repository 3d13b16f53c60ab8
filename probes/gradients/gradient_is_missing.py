from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.steps import Cut, Reach

# Of what is meant to train. An unused pooler of BERT-base is 0.5 %, of a tiny one 6 %; an encoder is a third and more.
LARGE = 0.1


@probe(id="GRD001", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def gradient_is_missing(gradient_reach: Reach) -> Iterator[Finding]:
    """A module that should train gets no gradient at all: the graph is cut, or nothing of it reaches the loss."""
    for cut in gradient_reach.cuts:
        if cut.missing:
            yield _finding(cut, cut.size / max(gradient_reach.trainable, 1))


def _finding(cut: Cut, share: float) -> Finding:
    severe = cut.followed or share >= LARGE
    story, fix = (
        (
            "the loss follows when they change, so the graph is cut on the way",
            "remove the detach(), .data, no_grad or numpy",
        )
        if cut.followed
        else ("the loss does not change when they do", "use its output in the loss, or freeze it")
    )
    return Finding(
        where=cut.module,
        message=f"{cut.tensors} trainable tensors of this {cut.kind} ({share:.1%} of what trains) get no gradient "
        f"(None), expected one for each; {story}",
        fix=f"{fix} between {cut.module} and the loss" if cut.followed else fix,
        measured={"tensors": cut.tensors, "share": share, "loss_follows": cut.followed},
        severity=None if severe else Severity.NOTE,
    )

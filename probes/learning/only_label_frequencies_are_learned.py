from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult

# Without input and prefix nothing can be below the entropy of the labels; who ends within a tenth of it knows no more.
NEAR = 0.1


@probe(id="LRN007", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN001", "LRN008", "LRN011", "GEN*"))
def only_label_frequencies_are_learned(overfit_verdict: OverfitResult) -> Iterator[Finding]:
    """Only label frequencies are learned: the loss stays at the entropy of the labels."""
    run = overfit_verdict
    if (
        run.learnt
        or run.relabelled
        or run.cross_entropy is None
        or not run.unigram
        or run.swapped_cross_entropy is None
    ):
        return
    if run.cross_entropy < (1 - NEAR) * run.unigram or run.uses_input or not run.loss_fell:
        return
    yield Finding(
        where=run.where,
        message=f"cross-entropy ends at {run.cross_entropy:.3g} for each label after {run.updates} updates, and the "
        f"entropy of these labels is {run.unigram:.3g}; with inputs exchanged it is {run.swapped_cross_entropy:.3g}, "
        "expected far more",
        fix="find where input and prefix are lost on their way to the scores",
        measured={
            "book": run.cross_entropy,
            "unigram": run.unigram,
            "swapped": run.swapped_cross_entropy,
            "updates": run.updates,
        },
    )

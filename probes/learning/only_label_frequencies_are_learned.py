from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult

# Without input and prefix nothing can be below the entropy of the labels; who ends within a tenth of it knows no more.
NEAR = 0.1


@probe(id="LRN007", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN001", "LRN008", "LRN011", "GEN*"))
def only_label_frequencies_are_learned(overfit_verdict: OverfitResult) -> Findings:
    """Only label frequencies are learned: the loss stays at the entropy of the labels."""
    run = overfit_verdict
    book, swapped = run.cross_entropy, run.swapped_cross_entropy
    if run.learnt or run.relabelled or book is None or not run.unigram or swapped is None:
        return
    if book < (1 - NEAR) * run.unigram or run.uses_input or not run.loss_fell:
        return
    yield Finding(
        where=run.where,
        message=f"cross-entropy ends at {book:.3g} per label after {run.updates} updates, and the entropy of these "
        f"labels is {run.unigram:.3g}; with swapped inputs it is {swapped:.3g}, expected much more",
        fix="find where the input and the prefix are lost on the way to the logits",
        measured={"book": book, "unigram": run.unigram, "swapped": swapped, "updates": run.updates},
    )

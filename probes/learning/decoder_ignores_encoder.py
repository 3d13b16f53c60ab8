from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult

# Whoever does not know which row it is pays at every place where rows part: `blind` nats for each label. One that
# listens loses more than that when inputs are exchanged (it says the other row's label there); a deaf one nothing.
NEAR = 0.1


@probe(id="LRN008", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN001", "LRN011", "GEN*"))
def decoder_ignores_encoder(overfit_verdict: OverfitResult) -> Findings:
    """The decoder ignores the encoder: after overfitting, swapped inputs do not raise the loss."""
    run = overfit_verdict
    if run.uses_input is not False or run.reads_labels or not run.loss_fell or run.swapped is None:
        return
    if run.cross_entropy is not None and run.unigram and run.cross_entropy > (1 - NEAR) * run.unigram:
        return  # it has not even learnt the labels' order: told by another probe
    blind = run.prefix_entropy
    known = f"; distinguishing these {run.rows} rows is worth {blind:.3g} per label" if blind else ""
    book, swapped = run.cross_entropy, run.swapped_cross_entropy
    if book is None:
        book, swapped = run.final, run.swapped
    yield Finding(
        where=run.where,
        message=f"the loss falls from {run.first:.4g} to {book:.4g} in {run.updates} updates, but with swapped inputs "
        f"it is {swapped:.4g}, expected much more{known}",
        fix="follow the input from the batch to the output: its values, its mask, and the layers that read it",
        measured={"own": book, "exchanged": swapped, "blind": blind, "updates": run.updates},
    )

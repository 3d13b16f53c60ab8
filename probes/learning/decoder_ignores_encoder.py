from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult

# Whoever does not know which row it is pays at every place where rows part: `blind` nats for each label. One that
# listens loses more than that when inputs are exchanged (it says the other row's label there); a deaf one nothing.
NEAR = 0.1


@probe(id="LRN008", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN001", "LRN011", "GEN*"))
def decoder_ignores_encoder(overfit_verdict: OverfitResult) -> Iterator[Finding]:
    """The decoder ignores the encoder: after overfitting, swapped inputs do not raise the loss."""
    run = overfit_verdict
    if run.listens is not False or run.reads_labels or not run.fell or run.swapped is None:
        return
    if run.book is not None and run.unigram and run.book > (1 - NEAR) * run.unigram:
        return  # it has not even learnt the labels' order: told by another probe
    known = f"; to tell these {run.rows} rows apart is worth {run.blind:.3g} for each label" if run.blind else ""
    book, swapped = (run.book, run.swapped_book) if run.book is not None else (run.final, run.swapped)
    yield Finding(
        where=run.where,
        message=f"the loss falls from {run.first:.4g} to {book:.4g} in {run.updates} updates, and with the inputs "
        f"exchanged between the rows it is {swapped:.4g}, expected far more{known}",
        fix="follow the input from the batch to the decoder: features, encoder, mask, cross-attention",
        measured={"own": book, "exchanged": swapped, "blind": run.blind, "updates": run.updates},
    )

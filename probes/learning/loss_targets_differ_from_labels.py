from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult
from probes.reporting.probabilities import are_probabilities

# A loss of these labels asks for each of them at its place, or at the one before (a language model): for 100 %.
# Rows that meet each other's labels agree by chance, in specials and common words.
HALF = 0.6


@probe(id="LRN006", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def loss_targets_differ_from_labels(overfit_curve: OverfitResult) -> Findings:
    """The targets of the loss differ from the labels at many positions."""
    run = overfit_curve
    agreement = run.target_agreement
    if agreement is None or agreement >= HALF or run.has_own_targets or run.relabelled:
        return
    if are_probabilities(run.loss_call):  # told by another probe
        return
    yield Finding(
        where=run.where,
        message=f"at {agreement:.0%} of {run.tokens} positions the target of the loss is the label, expected 100 %; "
        f"the model learns these targets ({run.first:.4g} → {run.final:.4g})",
        fix="align logits and labels: flatten both in the same order, shift once, mask with -100",
        measured={"asked": agreement, "places": run.tokens, "final": run.final},
    )

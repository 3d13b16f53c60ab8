from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult

# A loss of these labels asks for each of them at its place, or at the one before (a language model): for 100 %.
# Rows that meet each other's labels agree by chance, in specials and common words.
HALF = 0.6


@probe(id="LRN006", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def loss_targets_differ_from_labels(overfit_curve: OverfitResult) -> Findings:
    """The targets of the loss differ from the labels at many positions."""
    run = overfit_curve
    agreement = run.target_agreement
    if agreement is None or agreement >= HALF or run.has_own_targets or run.relabelled or run.probabilities:
        return
    yield Finding(
        where=run.where,
        message=f"of {run.tokens} places the loss asks for the label at {agreement:.0%}, expected 100 %; it learns "
        f"what it asks for ({run.first:.4g} → {run.final:.4g})",
        fix="lay scores and labels over each other as they stand: flatten both in one order, shift once, mask by -100",
        measured={"asked": agreement, "places": run.tokens, "final": run.final},
    )

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult
from probes.reporting.probabilities import are_probabilities

# Scores between `lowest` and `highest` give the right one of V classes at most 1 / (1 + (V - 1) exp(lowest - highest)):
# for probabilities, which cannot be further apart than 1, the loss stays above ln(1 + (V - 1) / e).
NEAR = 1.3  # times that bound: the scores have grown as far apart as they can, and the loss ends there


@probe(id="LRN005", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def bounded_logits_limit_the_loss(overfit_curve: OverfitResult) -> Findings:
    """Bounded logits, such as softmax outputs, keep the loss far above zero."""
    run = overfit_curve
    if run.scores is None or run.bound is None:
        return
    probabilities = are_probabilities(run.loss_call)
    low, high = run.scores
    free = run.ended == "stuck" and run.loss_fell and run.unfrozen_trial is None and not run.relabelled
    capped = free and run.cross_entropy is not None and 0.5 < run.cross_entropy < NEAR * run.bound
    if not probabilities and not capped:
        return
    kind = "sum to 1, like softmax outputs" if probabilities else "stay bounded"
    yield Finding(
        where="the logits before the loss",
        message=f"{run.classes} logits from {low:.2g} to {high:.2g} {kind}: cross-entropy cannot fall below "
        f"{run.bound:.4g} (ln(1 + (V - 1) exp(-{high - low:.2g}))), and the loss is {run.final:.4g} after "
        f"{run.updates} updates",
        fix="pass raw logits to the loss: remove the softmax (sigmoid, tanh, clamp) between the head and the loss",
        measured={"bound": run.bound, "final": run.final, "lowest": low, "highest": high, "updates": run.updates},
    )

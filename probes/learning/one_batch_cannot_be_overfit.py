from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult

# Of the first loss. The rows and the random numbers are the same in every update, so a fall is no chance;
# adapters around a random model made it fall by a seventh, and a loss without a gradient does not fall at all.
NOTICEABLE = 0.01


@probe(id="LRN001", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("GEN*",))
def one_batch_cannot_be_overfit(overfit_verdict: OverfitResult) -> Findings:
    """The model cannot overfit a few rows of one batch: their loss does not fall at any learning rate tried."""
    run = overfit_verdict
    if run.learnt or run.first - run.final > NOTICEABLE * abs(run.first) or run.by_own_step:
        return  # where it stopped short, and why, is for the other probes of this stage to say
    right = "" if run.accuracy is None else f", {run.accuracy:.0%} of {run.tokens} labels right"
    blind = run.prefix_entropy
    floor = "" if blind is None else f" (label frequencies alone reach {run.unigram:.3g}, the prefix {blind:.3g})"
    yield Finding(
        where=run.where,
        message=f"the loss of {run.rows} rows does not decrease: {run.first:.4g} → {run.final:.4g} in {run.updates} "
        f"updates{right}{floor}",
        fix="check the loss, the labels and the optimizer; more data will not help",
        measured={"first": run.first, "final": run.final, "updates": run.updates, "accuracy": run.accuracy},
    )

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult


@probe(id="LRN001", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("GEN*",))
def one_batch_cannot_be_overfit(overfit_verdict: OverfitResult) -> Findings:
    """The model cannot overfit a few rows of one batch at any learning rate tried."""
    run = overfit_verdict
    unknown = run.cross_entropy is None and run.ctc is None  # nobody knows how low it can go
    if run.learnt or (unknown and run.loss_fell):
        return
    right = "" if run.accuracy is None else f", {run.accuracy:.0%} of {run.tokens} labels right"
    blind = run.prefix_entropy
    floor = "" if blind is None else f" (their statistics alone allow {run.unigram:.3g}, the prefix {blind:.3g})"
    told = "falls" if run.loss_fell else "does not move"
    yield Finding(
        where=run.where,
        message=f"the loss of {run.rows} rows {told}: {run.first:.4g} → {run.final:.4g} in {run.updates} "
        f"updates{right}, expected all{floor}",
        fix="look for what stands between these weights and this loss; more data will not help",
        measured={"first": run.first, "final": run.final, "updates": run.updates, "accuracy": run.accuracy},
    )

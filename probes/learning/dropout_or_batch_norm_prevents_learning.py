from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult, better


@probe(
    id="LRN009",
    stage=Stage.LEARNING,
    severity=Severity.ERROR,
    explains=("LRN001", "LRN00[78]", "LRN011", "LRN021", "GEN*"),
)
def dropout_or_batch_norm_prevents_learning(overfit_verdict: OverfitResult) -> Findings:
    """Dropout or batch norm, in the mode used for training, prevents overfitting a few rows."""
    run, trial = overfit_verdict, overfit_verdict.training
    if trial is None or trial.failure:  # what a forward pass in training mode raises is told of the first step
        return
    if run.learnt and better(trial, run):
        return
    now = trial.loss if trial.cross_entropy is None else trial.cross_entropy
    where = f"{trial.guilty} ({trial.kind})" if trial.guilty else "model.train()"
    if run.learnt:
        swapped = "" if trial.exchanged is None else f", and {trial.exchanged:.4g} with the inputs exchanged"
        state = f"learnt to {run.final:.4g} with dropout off; in training mode, after {trial.updates} more updates, "
        state += f"{now:.4g}{swapped}: the rows cannot be told apart"
    else:
        state = f"cross-entropy ends at {now:.4g} after {run.updates} updates with the statistics that it was left with"
    cause = f"; with {trial.guilty} switched over it learns" if trial.guilty else ""
    yield Finding(
        where=where,
        message=state + cause,
        fix=f"lower the dropout of {trial.guilty or 'the model'}"
        if run.learnt
        else f"call train() on {trial.guilty}, or load its running statistics from the run that made them",
        measured={"quiet": run.final, "training": now, "exchanged": trial.exchanged, "updates": trial.updates},
    )

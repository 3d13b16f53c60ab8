from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult


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
    if run.learnt and trial.learns:
        return
    now = trial.loss if trial.cross_entropy is None else trial.cross_entropy
    where = f"{trial.guilty} ({trial.kind})" if trial.guilty else "model.train()"
    if run.learnt:
        swapped = "" if trial.exchanged is None else f", and {trial.exchanged:.4g} with swapped inputs"
        state = f"the loss is {run.final:.4g} with dropout off; in train mode, after {trial.updates} more updates, "
        state += f"{now:.4g}{swapped}: the model cannot distinguish the rows"
    else:
        state = f"cross-entropy ends at {now:.4g} after {run.updates} updates with the loaded running statistics"
    cause = f"; with {trial.guilty} in the other mode it learns" if trial.guilty else ""
    yield Finding(
        where=where,
        message=state + cause,
        fix=f"lower the dropout of {trial.guilty or 'the model'}"
        if run.learnt
        else f"call train() on {trial.guilty}, or load its running statistics from the original checkpoint",
        measured={"quiet": run.final, "training": now, "exchanged": trial.exchanged, "updates": trial.updates},
    )

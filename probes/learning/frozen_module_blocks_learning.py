from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult
from probes.facts.parameters.types import NewParameters, Parameters


@probe(id="LRN004", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN001", "LRN00[578]", "PAR020", "GEN*"))
def frozen_module_blocks_learning(
    overfit_curve: OverfitResult, parameters: Parameters, new_parameters: NewParameters | None = None
) -> Findings:
    """A frozen module blocks learning: it prevents overfitting a batch, or keeps random weights."""
    run, trial = overfit_curve, overfit_curve.unfrozen_trial
    if trial is not None:
        yield Finding(
            where=trial.what,
            message=f"with it frozen the loss is {run.final:.4g} after {run.updates} updates; with it trainable "
            f"{trial.final:.4g} after {trial.updates}",
            fix=f"set requires_grad=True on {trial.what} and add it to the optimizer",
            measured={"final": run.final, "updates": run.updates, "thawed_updates": trial.updates},
        )
        return
    new = {*new_parameters.declared, *new_parameters.absent} if new_parameters else set()
    rows = [row for row in parameters.rows if row.name in new and not row.trainable and len(row.shape) > 1]
    if rows and run.optimized_tensors:
        size = sum(row.size for row in rows)
        yield Finding(
            where=rows[0].name.rpartition(".")[0] or rows[0].name,
            message=f"{size:,} new values are frozen and stay random, expected none; the rest of the model learned "
            f"these rows ({run.first:.4g} → {run.final:.4g})",
            fix="set requires_grad=True on every new module, after the call that freezes the pretrained model",
            measured={"frozen": size, "tensors": len(rows)},
        )

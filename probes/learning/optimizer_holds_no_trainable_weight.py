from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult


@probe(id="LRN002", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def optimizer_holds_no_trainable_weight(overfit_curve: OverfitResult) -> Findings:
    """The optimizer holds none of the model's trainable weights, so no update changes the loss."""
    run = overfit_curve
    if run.optimized_tensors:
        return
    stays = f"the loss stays at {run.final:.4g}"
    if run.trainable and run.by_own_step:
        message = f"{run.updates} calls of training_step change 0 of {run.trainable} trainable tensors, expected all"
        fix = "call step() of an optimizer with this model's parameters in training_step"
    elif run.trainable:
        message = f"the optimizer has 0 of {run.trainable} trainable tensors, expected all; {stays}"
        fix = "create the optimizer from model.parameters() after the last change of the model"
    else:
        message = f"no parameter of the model requires a gradient, expected some; {stays}"
        fix = "set requires_grad=True on the modules to train"
    yield Finding("optimizer" if run.trainable else "model", message, fix, {"held": 0, "trainable": run.trainable})

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult

LARGE = 0.1  # of what trains: an unused pooler of BERT-base is 0.5 %, an encoder a third and more
UPDATES = 3  # an adapter that starts at zero hides the matrix before it from the first gradient
UNHELD, RESTING = "not in the optimizer", "learning rate zero"


@probe(id="LRN003", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def module_does_not_learn(overfit_curve: OverfitResult) -> Findings:
    """A trainable module does not learn: its weights stay the same while the rest overfits a batch."""
    run = overfit_curve
    still = [part for part in run.idle if part.share >= LARGE and part.why != RESTING]
    if not run.optimized_tensors or run.updates < UPDATES or sum(part.share for part in run.idle) > 0.99:
        return
    for part in still:
        change = "" if run.swapped is None else f"; with swapped inputs it is {run.swapped:.4g}"
        yield Finding(
            where=part.module,
            message=f"{part.tensors} trainable tensors of this {part.kind} ({part.share:.1%} of the trainable "
            f"parameters): {part.why} in {run.updates} updates, while the loss went {run.first:.4g} → "
            f"{run.final:.4g}{change}",
            fix="create the optimizer after the last change of the model, with all trainable parameters"
            if part.why == UNHELD
            else f"remove what disconnects {part.module} from the loss: detach(), no_grad, a multiplication by zero",
            measured={"tensors": part.tensors, "share": part.share, "why": part.why, "updates": run.updates},
        )

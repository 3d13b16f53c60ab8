from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import LossTrials

STILL = 1e-6  # relative; at random weights another label changes a healthy loss by 1e-3
SELDOM = 0.1  # cross-entropy in any of its forms asks for the label nearly everywhere, a teacher's guesses for many
ENOUGH = 10


@probe(id="LOS006", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def loss_ignores_labels(perturbed_losses: LossTrials) -> Findings:
    """The loss ignores the labels: it stays the same when they change, or targets other classes."""
    value, other, asked = perturbed_losses.value, perturbed_losses.other_labels, perturbed_losses.target_agreement
    tokens = perturbed_losses.tokens or 0
    own = perturbed_losses.makes_own_targets
    fine = perturbed_losses.eps < STILL  # half precision rounds such a difference away
    if fine and other is not None and abs(other - value) <= STILL * abs(value):
        told = f"Loss: {value:.6g}, and {other:.6g} with the labels of a row changed, expected a different value; "
        told += "the same after a small change of all weights"
        if own:
            told += "; the loss never reads them and makes its own targets, as in self-supervised training"
    elif asked is not None and asked < SELDOM and tokens >= ENOUGH:
        told = f"the target of the loss is the label at {asked:.0%} of {tokens} scored labels, expected nearly all"
    else:
        return
    yield Finding(
        where="the loss function",
        message=told,
        fix="compute the loss from the labels of the batch, not from the model's output or another tensor",
        measured={"loss": value, "with_other_labels": other, "asked": asked},
        severity=Severity.NOTE if own else None,
    )

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import LossTrials
from probes.reporting.probabilities import are_probabilities

LARGE = 3.0  # where sigmoid and tanh are flat, 0.05 from their end
EDGE = 1.001
SHARE = 0.1  # of the labels: fewer may be outliers that a model of positive numbers leaves out
DIP = -0.3  # gelu and silu go down to -0.17 and -0.28


@probe(id="LOS010", stage=Stage.LOSS, severity=Severity.ERROR, explains=("GRD*", "LRN*", "GEN*"))
def logits_are_bounded(perturbed_losses: LossTrials) -> Findings:
    """Logits are bounded by an activation after the output layer, so the loss stays high."""
    bound = perturbed_losses.bound
    if bound is None or any(are_probabilities(heard) for heard in perturbed_losses.loss_calls):
        return
    (raw_low, raw_high), (low, high) = bound.raw, bound.scores
    boxed = max(raw_high, -raw_low) > LARGE and raw_high - raw_low > 2 * LARGE and high <= EDGE and low >= -EDGE
    cut = raw_low < -LARGE and low > DIP and not boxed
    if not (boxed or cut) or (bound.regresses and bound.unreachable < SHARE):
        return
    like = "a sigmoid" if boxed and low >= 0 else "a tanh" if boxed else "a relu"
    yield Finding(
        where=bound.module,
        message=f"with larger weights this {bound.kind} outputs {raw_low:.3g} to {raw_high:.3g}, but the loss "
        f"receives {low:.3g} to {high:.3g}, as after {like}; expected the same values"
        + (f": {bound.unreachable:.0%} of the labels lie outside" if bound.regresses else ""),
        fix=f"remove the activation after {bound.module}: the loss expects unbounded values",
        measured={"raw_low": raw_low, "raw_high": raw_high, "low": low, "high": high},
    )

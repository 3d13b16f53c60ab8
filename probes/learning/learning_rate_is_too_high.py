from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.learning_rate.types import RateRun, RateTrial

BETTER = 0.85  # of the loss at the peak: a tenth of a good rate is far behind in so few updates, never ahead
KNOWS = 0.5  # of the entropy of the labels: below, more than their frequencies is known, and nothing has run away
RISEN, LEAPT = 1.1, 2.0  # times the loss before; times that or what ignorance gives, whichever is more


@probe(id="LRN020", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("GEN*",))
def learning_rate_is_too_high(rate_trial: RateTrial) -> Findings:
    """The peak learning rate is too high: the loss diverges, while a lower rate reduces it."""
    peak, lower = rate_trial.peak, rate_trial.lower
    if lower is None or not lower.sound or lower.last >= lower.first or not _runs_away(peak, lower, rate_trial.floor):
        return
    good = f"{rate_trial.rate * lower.share:.3g}"
    reached = f"{peak.last:.3g}, with a maximum of {max(peak.losses):.3g}" if peak.sound else "NaN or Inf"
    yield Finding(
        where="learning rate",
        message=f"{peak.updates} updates at the peak learning rate {rate_trial.rate:.3g} take the loss from "
        f"{peak.first:.3g} to {reached} ({rate_trial.precision}), expected a lower loss than at {good}, which reaches "
        f"{lower.last:.3g}",
        fix=f"lower the learning rate to {good} or less; `diagnose overfit` shows the range",
        measured={"rate": rate_trial.rate, "loss": peak.last, "lower": lower.last, "updates": peak.updates},
        setting=f"training.learning_rate: {good}",
    )


def _runs_away(peak: RateRun, lower: RateRun, floor: float | None) -> bool:
    if not peak.sound:
        return True
    risen, lost = peak.last > RISEN * peak.first, floor is None or peak.last > KNOWS * floor
    highest = max(peak.losses)
    # Of all batches: a loss with a margin may be 0 on one of them, at any rate.
    leapt = highest > LEAPT * max(peak.first, floor or 0.0) and sum(lower.batches) < BETTER * sum(peak.batches)
    ahead = all(low < BETTER * high for low, high in zip(lower.batches, peak.batches, strict=True))
    return leapt or (lost and risen) or (lost and ahead and (floor is not None or highest > RISEN * peak.first))

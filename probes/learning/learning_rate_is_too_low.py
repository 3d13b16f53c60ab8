from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.learning_rate.types import RateTrial

# The trial at higher rates is made only where the peak falls short of what is needed. Such a rate shows the fault where
# it lowers the loss visibly, and by far more than the peak moved it: a model that has learnt does neither.
NOTICEABLE = 0.01  # of the loss
TIMES = 10.0


@probe(id="LRN021", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("GEN*",))
def learning_rate_is_too_low(rate_trial: RateTrial) -> Findings:
    """The peak learning rate is too low: the whole run cannot change the loss noticeably."""
    trial = rate_trial
    peak, high, total = trial.peak, trial.more, trial.total
    if trial.rate > 0 and (high is None or total is None or not peak.sound):
        return
    moved, promised, needed = peak.moved, peak.promises(total or 0), trial.needed * abs(peak.first)
    learns = high is not None and high.first - high.last > max(NOTICEABLE * abs(high.first), TIMES * moved)
    if trial.rate > 0 and not learns:
        return
    yield Finding(
        where="learning rate",
        message=f"{peak.updates} updates at the peak learning rate {trial.rate:.3g} change the loss of "
        f"{peak.first:.3g} by {moved:.2g}, extrapolated {promised:.2g} in {total or 'all'} updates; expected at least "
        f"{needed:.2g}"
        + (f"; at {trial.rate * high.share:.1g} it falls to {high.last:.3g}" if high is not None and learns else ""),
        fix="raise the learning rate; `diagnose overfit` shows the range that works",
        measured={"rate": trial.rate, "moved": moved, "promised": promised, "updates": peak.updates},
    )

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import LossTrials
from probes.reporting.loss_reduction import NEAR, is_sum


@probe(id="LOS011", stage=Stage.LOSS, severity=Severity.WARNING, explains=("LRN*",))
def loss_depends_on_batch_size(perturbed_losses: LossTrials) -> Findings:
    """The loss depends on the batch size: it is not a plain mean over the batch."""
    growth, value, twice = perturbed_losses.growth, perturbed_losses.value, perturbed_losses.loss_doubled
    if growth is None or abs(value) < 1e-6:
        return
    summed, mean = _parts(perturbed_losses, 2.0), _parts(perturbed_losses, 1.0)
    told = f"Loss: {value:.4g}, with every row twice {twice:.4g}"
    numbers = {"loss": value, "twice": twice, "growth": growth}
    if abs(growth - 0.5) < NEAR:
        fix = "remove the extra division: reduction='mean' already divides by the number of labels"
        yield Finding("the loss function", f"{told}, expected the same: it is divided by the batch twice", fix, numbers)
    elif summed and mean:
        message = f"{told}: {', '.join(summed)} is a sum and {', '.join(mean)} a mean, expected one kind for all"
        fix = "use the mean in every term: otherwise their relative weights depend on the batch size"
        yield Finding("the loss function", message, fix, numbers)
    elif is_sum(perturbed_losses):
        message = f"{told}: it is a sum over the rows, so gradients grow with the batch size"
        fix = "use reduction='mean', or tune the learning rate for this batch size"
        yield Finding("the loss function", message, fix, numbers, Severity.NOTE)


def _parts(trials: LossTrials, growth: float) -> list[str]:
    pairs = [(name, trials.parts_twice.get(name), value) for name, value in trials.parts.items() if value]
    return [name for name, twice, value in pairs if twice is not None and abs(twice / value - growth) < NEAR]

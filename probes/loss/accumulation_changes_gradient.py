from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import AccumulationError, LossTrials
from probes.reporting.loss_reduction import is_sum

ALIKE = 0.02  # relative error; float32 leaves 1e-5
OFF = 0.05  # from a ratio of one
ALONG = 0.98  # cosine
FACTOR = 1.5  # of two batches one is too many or too few


@probe(id="LOS013", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LRN*",))
def accumulation_changes_gradient(
    accumulation: AccumulationError, perturbed_losses: LossTrials | None = None
) -> Findings:
    """Gradient accumulation gives a different gradient than the same rows in one batch."""
    seen, name = accumulation, f"{accumulation.batches} accumulated batches"
    numbers = {"error": seen.error, "ratio": seen.means_ratio, "cosine": seen.cosine, "updates": seen.updates}
    if seen.updates > 1:
        message = f"the optimizer steps {seen.updates} times during {name}, expected once, after the last"
        yield Finding("accumulated_step", message, "call optimizer.step() once, after the last backward pass", numbers)
        return
    if seen.error <= ALIKE or seen.means_ratio is None or seen.means_cosine is None:
        return
    if (seen.last_cosine or 0.0) > max(0.999, seen.means_cosine):
        message = f"only the last of {name} counts (cosine {seen.last_cosine:.4f} with its own gradient), expected all"
        yield Finding("accumulated_step", message, "call zero_grad() once, before the first batch", numbers)
    elif seen.means_cosine < ALONG and seen.cosine < ALONG:
        off = f"the gradient of {name} is off by {seen.error:.0%}"
        message = f"{off} and has a different direction than the gradient of the same rows in one batch"
        fix = "compute the same loss in both, and keep no state between micro-batches"
        yield Finding("accumulated_step", message, fix, numbers, Severity.WARNING)
    elif abs(seen.means_ratio - 1) > OFF and abs(seen.ratio - 1) > OFF:
        yield from _scaled(seen, name, numbers, perturbed_losses is not None and is_sum(perturbed_losses))
    else:
        message = f"{name} give a mean of means: the gradient is off by {seen.error:.0%} from that of one batch"
        fix = "divide by the number of scored labels in the whole accumulated batch (num_items_in_batch)"
        yield Finding("accumulated_step", message, fix, numbers, Severity.NOTE)


def _scaled(seen: AccumulationError, name: str, numbers: dict[str, float | None], summed: bool) -> Findings:
    ratio, divisor = seen.means_ratio, _divisor(seen)
    if divisor is not None and divisor > 1 and divisor == seen.configured:
        return  # it divides by the setting, and the run accumulates as many
    message = f"the gradient of {name} is {ratio:.2f} times that of the same rows in one batch, expected 1.00"
    fixed = f": the loss is always divided by {divisor}" if divisor and divisor > 1 else ""
    fix = "divide each loss by the number of batches; for transformers set model.accepts_loss_kwargs = False"
    shared = summed and abs((ratio or 0.0) * seen.batches - 1) < OFF  # a mean over batches of sums over rows
    slight = 1 / FACTOR < (ratio or 0.0) < FACTOR  # labels that a shift leaves out are counted, or not
    milder = Severity.NOTE if shared or slight or (fixed and seen.configured is None) else None
    yield Finding("accumulated_step", message + fixed, fix, numbers, milder)


def _divisor(seen: AccumulationError) -> int | None:
    """The fixed number that the sum is divided by, whatever the number of batches; None where it is not fixed."""
    if seen.means_ratio is None or seen.half_ratio is None or seen.means_ratio <= 0:
        return None
    fixed = abs(seen.half_ratio / seen.means_ratio - 0.5) < ALIKE
    return round(seen.batches / seen.means_ratio) if fixed else None

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import initial_median, recent_median

LEAST = 10
TINY = 1e-7  # of all weights together: below it float32 loses the update beside the weight
SHRUNK, HIGH = 1e-3, 0.5  # of the beginning: the gradient is gone and the loss is not


@probe(id="STP013", stage=Stage.STEPS, severity=Severity.WARNING, explains=("STP007", "STP016", "STP02[0-2]"))
def gradient_norm_vanishes(records: Records) -> Findings:
    """The gradient norm vanishes while the loss is still high."""
    run = records.finite_part.phase
    norms, losses = run.series("grad_norm"), run.series("loss").values
    if len(norms.values) < LEAST or len(losses) < LEAST:
        return
    first, now = initial_median(norms.values), recent_median(norms.values)
    if now <= 0 or recent_median(losses) < HIGH * initial_median(losses) or not (now < SHRUNK * first or now < TINY):
        return
    yield step_finding(
        records,
        norms.steps[-1],
        f"grad_norm is {now:.3g}, {first:.3g} at the beginning; the loss is still {recent_median(losses):.4g}, "
        f"{initial_median(losses):.4g} at the beginning",
        "look for saturated activations and missing skip connections or normalization; diagnose preflight names the "
        "layer",
        now=now,
        first=first,
    )

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding, step_range

LEAST = 5
# Three seeds of four healthy models from random weights grow to 1.1 times in 300 steps; at thirty times the rate, to 2.
TIMES, SOON, WITHIN = 10.0, 3.0, 100


@probe(id="STP015", stage=Stage.STEPS, severity=Severity.WARNING, explains=("STP00[1-3]", "STP02[0-2]"))
def weight_norm_diverges(records: Records) -> Findings:
    """The weight norm diverges: it grows to several times its initial value."""
    series = records.finite_part.series("weight_norm")
    values = series.values
    if len(values) < LEAST or values[0] <= 0 or values[-1] < SOON * values[0]:
        return
    if values[-1] < TIMES * values[0] and series.steps[-1] - series.steps[0] > WITHIN:
        return
    yield step_finding(
        records,
        series.steps[-1],
        f"the norm of all weights went from {values[0]:.4g} to {values[-1]:.4g} over {step_range(series)}, a factor "
        f"of {values[-1] / values[0]:.3g}",
        "lower the learning rate 10x, and use weight decay",
        first=values[0],
        last=values[-1],
    )

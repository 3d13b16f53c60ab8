from statistics import median

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import WINDOW, binned, noise, p_value_of_fall, recent_median

LEAST = 20
# From record to record, as a share of its level. Ten seeds of five healthy subjects at four rows a batch reach 0.2.
WILD = 0.8
LEARNT = 0.5  # of its beginning: near the end of a healthy run, little is left and swings are large beside it


@probe(id="STP009", stage=Stage.STEPS, severity=Severity.WARNING, explains=("STP01[015]",))
def step_loss_oscillates(records: Records) -> Findings:
    """The training loss oscillates by about its own size from step to step without falling."""
    series = records.finite_part.phase.series("loss")
    values = series.values[-WINDOW:]
    if len(values) < LEAST or min(values) <= 0:
        return
    middle, swing = median(values), noise(values)
    falls = p_value_of_fall(binned(values)) < 0.01 and recent_median(values, LEAST) < series.values[0]
    if swing < WILD * middle or middle < LEARNT * series.values[0] or falls:
        return
    yield step_finding(
        records,
        series.steps[-1],
        f"the loss changes by {swing:.4g} from record to record around {middle:.4g}, {swing / middle:.0%} of its "
        f"level, and does not fall below its initial value {series.values[0]:.4g}",
        "divide the learning rate by three, then try a larger batch size; check that batches are shuffled",
        swing=swing,
        level=middle,
    )

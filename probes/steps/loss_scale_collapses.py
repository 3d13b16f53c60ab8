from itertools import pairwise

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import longest_run

# At a scale of 1 the gradient is not scaled at all: it overflows float16 (65504) by itself.
UNSCALED = 1.0
# From 65536, a scaler that finds its scale halves it a few times; ten times without one update in between is no search.
HALVINGS = 10


@probe(id="STP019", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP00[1-37]", "STP01[126]", "STP02[0-2]"))
def loss_scale_collapses(records: Records) -> Findings:
    """The loss scale collapses, because every update overflows and is skipped."""
    series = records.series("scale")
    begin, place = longest_run(after < before for before, after in pairwise(series.values))
    low = next((number for number, scale in enumerate(series.values) if scale < UNSCALED), None)
    longest = place - begin
    if low is None and longest < HALVINGS:
        return
    place = place if low is None else low
    yield step_finding(
        records,
        series.steps[place],
        f"the loss scale fell to {series.values[place]:.4g} from {series.values[0]:.4g} in {longest} consecutive "
        "reductions; each one skipped an update",
        "train in bf16 or fp32; diagnose nan-bisect --precision fp16 names the module that overflows",
        scale=series.values[place],
        halvings=longest,
    )

from math import isfinite

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding


@probe(id="STP004", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP02[0-3]",))
def eval_loss_is_not_finite(records: Records) -> Findings:
    """The evaluation loss is NaN or Inf although the training loss is finite."""
    series = records.series("evaluation.loss")
    if isfinite(sum(series.values)):
        return
    bad = [(step, value) for step, value in zip(series.steps, series.values, strict=True) if not isfinite(value)]
    if not bad or (records.broken and not records.recovered() and records.broken[1].step <= bad[0][0]):
        return
    step, value = bad[0]
    yield step_finding(
        records,
        step,
        f"the evaluation loss is {value} in {len(bad)} of {len(series.values)} evaluations, the training loss is not",
        "look for evaluation rows without a scored label, and evaluate in fp32",
        loss=str(value),
        evaluations=len(series.values),
    )

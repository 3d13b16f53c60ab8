from diagnose import Findings, Severity, Stage, probe
from probes.facts.generation.metric_types import MetricTrial
from probes.reporting.failure_finding import failure_finding


@probe(id="GEN014", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN011",))
def metric_raises(metric_trial: MetricTrial) -> Findings:
    """compute_metrics raises on the predictions and labels that an evaluation gathers."""
    failure = metric_trial.failure
    if failure is None:
        return
    form, where = metric_trial.form, "compute_metrics"
    if metric_trial.bare:
        cause = f"on {form} of {metric_trial.rows} rows that are the labels themselves, without any -100"
        fix = f"mend {failure.line or where}: it is given predictions and labels as arrays"
    else:
        cause = f"on predictions padded with -100 and wider than the labels; without -100 it takes {form}"
        fix = "replace -100 by the padding token in predictions and labels before decoding them"
    message = f"it raised {failure.error} {cause}: {failure.message}"
    yield failure_finding(failure, where, where, message, fix, form=form)

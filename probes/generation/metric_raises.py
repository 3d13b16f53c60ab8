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
        cause = f"on {form} of {metric_trial.rows} rows equal to the labels, without -100"
        fix = f"fix {failure.line or where}: predictions and labels are NumPy arrays"
    else:
        cause = f"on labels padded with -100 and wider predictions; without -100 it accepts {form}"
        fix = "replace -100 with the padding token in predictions and labels before decoding"
    message = f"it raises {failure.error} {cause}: {failure.message}"
    yield failure_finding(failure, where, where, message, fix, form=form)

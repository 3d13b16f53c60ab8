from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.generation.metric_types import MetricTrial
from probes.reporting.failure_finding import failure_finding


@probe(id="GEN014", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN011",))
def metric_raises(metric_trial: MetricTrial) -> Iterator[Finding]:
    """compute_metrics raises on the predictions and labels that an evaluation gathers."""
    failure = metric_trial.failure
    if failure is None:
        return
    cause = (
        f"on {metric_trial.form} of {metric_trial.rows} rows that are the labels themselves, without any -100"
        if metric_trial.bare
        else f"on predictions padded with -100 and wider than the labels; without -100 it takes {metric_trial.form}"
    )
    yield failure_finding(
        failure,
        "compute_metrics",
        "compute_metrics",
        f"it raised {failure.error} {cause}: {failure.message}",
        f"mend {failure.line or 'compute_metrics'}: it is given predictions and labels as arrays"
        if metric_trial.bare
        else "replace -100 by the padding token in predictions and labels before decoding them",
        form=metric_trial.form,
    )

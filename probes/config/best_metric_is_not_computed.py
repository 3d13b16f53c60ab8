from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import RunSettings
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG007", stage=Stage.CONFIG, severity=Severity.ERROR)
def best_metric_is_not_computed(run_settings: RunSettings) -> Findings:
    """metric_for_best_model is not among the computed metrics: the first evaluation raises a KeyError."""
    settings = run_settings
    names = settings.metric_names
    if settings.metric is None or not names or settings.eval_strategy == "no":
        return
    metric = settings.metric.removeprefix("eval_")
    timings = ("runtime", "samples_per_second", "steps_per_second")
    if metric not in (*names, *timings):
        yield setting_finding(
            settings.place("metric"),
            f"{settings.metric} is requested, but an evaluation returns {', '.join(names)}",
            "use one of these, or pass a compute_metrics that returns it",
            metric=settings.metric,
        )

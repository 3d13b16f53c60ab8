from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.metric_types import MetricTrial

NOTED = 0.02  # of the way from perfect to worthless: a name's capital letter
GRAVE = 0.5  # more than half: the figure tells more about spelling than about words


@probe(id="GEN016", stage=Stage.GENERATION, severity=Severity.WARNING)
def metric_counts_case_and_punctuation(working_metric: MetricTrial) -> Findings:
    """The metric counts differences in case and punctuation as errors."""
    trial = working_metric
    lost = {name: share for name in trial.stripped if (share := trial.lost(name)) is not None and share > NOTED}
    if not lost:
        return
    name = max(lost, key=lambda one: lost[one])
    text, bare = trial.example
    yield Finding(
        where=f"compute_metrics, {name}",
        message=f"{trial.stripped[name]:.4g} for correct words without case and punctuation ({bare!r} for {text!r}); "
        f"the labels themselves score {trial.perfect[name]:.4g}, labels of other rows {trial.swapped[name]:.4g}",
        fix="normalize predictions and labels in the same way, or report both values",
        measured={"lost": lost[name], "figure": trial.stripped[name]},
        severity=None if lost[name] > GRAVE else Severity.NOTE,
    )

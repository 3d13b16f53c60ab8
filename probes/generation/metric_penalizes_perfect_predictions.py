from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.metric_types import MetricTrial

GRAIN = 1e-3  # of the figure: what rounding leaves
UP = ("acc", "bleu", "rouge", "chrf", "f1", "match", "exact")  # where the name leaves no doubt
DOWN = ("wer", "cer", "error")
BEST = (1.0, 100.0)  # what a score of a perfect prediction is, as a share or in per cent


@probe(id="GEN015", stage=Stage.GENERATION, severity=Severity.WARNING, explains=("GEN016",))
def metric_penalizes_perfect_predictions(working_metric: MetricTrial) -> Findings:
    """The metric does not give its best value when the predictions equal the labels."""
    perfect, swapped, clean = working_metric.perfect, working_metric.swapped, working_metric.clean
    names = [name for name in perfect if name in swapped and perfect[name] == perfect[name]]
    if names and all(perfect[name] == swapped[name] for name in names):
        figures = ", ".join(f"{name} {perfect[name]:.4g}" for name in names)
        yield _finding(
            names[0],
            f"predictions equal to the labels and labels of other rows get the same values ({figures})",
            working_metric,
        )
        return
    for name in names:
        given, other, alone = perfect[name], swapped[name], clean.get(name)
        best = _best(name.lower(), given, other, alone)
        if best is not None and abs(given - best) > GRAIN * max(abs(best), abs(other)):
            padding = f"; without -100 padding it is {alone:.4g}" if alone is not None and alone != given else ""
            yield _finding(
                name,
                f"{given:.4g} when predictions equal labels ({other:.4g} for labels of other rows), expected "
                f"{best:g}{padding}",
                working_metric,
            )


def _best(name: str, perfect: float, swapped: float, clean: float | None) -> float | None:
    """Which way is up is read from the figures: an error rate ends at 0, a score at 1 or 100, and a count anywhere."""
    if perfect == swapped and clean in (None, perfect):
        return None
    if (perfect < swapped and not any(word in name for word in UP)) or any(word in name for word in DOWN):
        return 0.0
    if perfect > BEST[0] and float(perfect).is_integer() and not any(word in name for word in UP):
        return None
    return next((best for best in BEST if perfect <= best * (1 + GRAIN)), None)


def _finding(name: str, message: str, trial: MetricTrial) -> Finding:
    measured = {"perfect": trial.perfect.get(name), "swapped": trial.swapped.get(name), "clean": trial.clean.get(name)}
    fix = "remove -100, decode predictions and labels in the same way, and compare each row with its own label"
    return Finding(where=f"compute_metrics, {name}", message=message, fix=fix, measured=measured)

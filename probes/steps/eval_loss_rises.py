from statistics import median

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import p_value_of_rise

LEAST = 3  # evaluations after the best one
ABOVE = 1.1  # times the best; three seeds of the healthy demo rise by 4 % and come back
ORDERED = 0.05  # four evaluations in a row upwards
FALLING = ("wer", "cer", "ter", "mer", "perplexity")


@probe(id="STP020", stage=Stage.STEPS, severity=Severity.WARNING)
def eval_loss_rises(records: Records) -> Findings:
    """The evaluation loss rises while the training loss falls: the model overfits."""
    run = records.finite_part
    series = run.series("evaluation.loss")
    values = series.values
    best = min(range(len(values)), key=values.__getitem__, default=0)
    if len(values) - best <= LEAST or values[-1] < ABOVE * values[best] or p_value_of_rise(values[best:]) > ORDERED:
        return
    losses = run.series("loss")
    since = [value for step, value in zip(losses.steps, losses.values, strict=True) if step >= series.steps[best]]
    half = len(since) // 2
    if half and median(since[half:]) >= median(since[:half]):
        return  # both get worse: no overfitting
    better = [name for name in records.evaluated if name != "loss" and _best_last(run, name)]
    yield step_finding(
        records,
        series.steps[best],
        f"the evaluation loss is {values[-1]:.4g} at step {series.steps[-1]} after {values[best]:.4g} at step "
        f"{series.steps[best]}, while the training loss {'falls' if half else 'is not in the log'}"
        + (f"; {', '.join(better)} still improves" if better else ""),
        "use the best checkpoint, stop early, and add data, dropout or augmentation",
        Severity.NOTE if better else None,
        best=values[best],
        last=values[-1],
    )


def _best_last(run: Records, name: str) -> bool:
    values = run.series(f"evaluation.{name}").values
    if "loss" in name or len(set(values)) < 2:
        return False
    return values[-1] == (min if name.lower() in FALLING else max)(values)

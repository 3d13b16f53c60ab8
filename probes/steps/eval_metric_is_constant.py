from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import initial_median, recent_median

EVALUATIONS = 3
PATIENCE = 500  # steps: before them a model may well say nothing yet
RISING = ("rouge", "bleu", "chrf", "acc", "f1", "meteor", "match", "precision", "recall")
LEARNT = 0.5  # of its first loss: a model that has learnt may read a small set the same way again
ERRORS = ("wer", "cer", "mer", "ter")


@probe(id="STP021", stage=Stage.STEPS, severity=Severity.WARNING)
def eval_metric_is_constant(records: Records) -> Findings:
    """An evaluation metric is constant or stays at its worst value over several evaluations."""
    run = records.finite_part
    begins = run.phase.rows[0].step if run.phase.rows else 0
    losses = run.phase.series("loss").values
    learnt = bool(losses) and recent_median(losses) < LEARNT * initial_median(losses)
    for name in run.evaluated:
        series = run.series(f"evaluation.{name}")
        kept = [(s, v) for s, v in zip(series.steps, series.values, strict=True) if s >= begins]
        last = kept[-EVALUATIONS:]
        if len(last) < EVALUATIONS or any(value != last[0][1] for _, value in last):
            continue
        why = _why(name, last[0][1], always=all(value == last[0][1] for _, value in kept) and not learnt)
        if not why or (name != "loss" and last[-1][0] - begins < PATIENCE):
            continue
        yield step_finding(
            records,
            last[-1][0],
            f"{name} is {last[0][1]:.6f} at {len(last)} consecutive evaluations since step {last[0][0]}: {why}",
            "compare generated texts with their references, and check that the trained model is evaluated",
            value=last[0][1],
            evaluations=len(last),
        )
        return


def _why(name: str, value: float, always: bool) -> str:
    """What is wrong with a figure that stands there; nothing for one at its best, or of which nobody knows."""
    lower = name.lower()
    error = any(lower.endswith(word) for word in ERRORS)
    if name == "loss":
        return "a model that trains never gives the same loss twice"
    if not error and not any(word in lower for word in RISING):
        return ""
    if value in (1.0, 100.0) if error else value == 0:
        return "its worst possible value"
    best = value == 0 if error else value in (1.0, 100.0)
    return "it never changed, and the training loss is still high" if always and not best else ""

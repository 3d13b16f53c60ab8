from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from diagnose.records import Records
from probes.stepping import at

EVALUATIONS = 3
PATIENCE = 500  # steps: before them a model may well say nothing yet
RISING = ("rouge", "bleu", "chrf", "acc", "f1", "meteor", "match", "precision", "recall")
ERRORS = ("wer", "cer", "mer", "ter")


@probe(id="STP021", stage=Stage.STEPS, severity=Severity.WARNING)
def evaluation_stands_still(records: Records) -> Iterator[Finding]:
    """A figure of the evaluation stays exactly the same, or exactly at its worst."""
    run = records.sound
    begins = run.phase.rows[0].step if run.phase.rows else 0
    for name in run.evaluated:
        series = run.series(f"evaluation.{name}")
        kept = [(s, v) for s, v in zip(series.steps, series.values, strict=True) if s >= begins][-EVALUATIONS:]
        if len(kept) < EVALUATIONS or any(value != kept[0][1] for _, value in kept):
            continue
        same, value = name == "loss", kept[0][1]
        if not same and not (_worst(name, value) and kept[-1][0] - begins >= PATIENCE):
            continue
        why = "a model that trains never gives the same loss twice" if same else "the worst that it can be"
        yield at(
            records,
            kept[-1][0],
            f"{name} is {value:.6f} at {len(kept)} evaluations in a row, steps {kept[0][0]} to {kept[-1][0]}: {why}",
            "check that the evaluated model is the trained one"
            if same
            else "read generated texts beside their references",
            value=value,
            evaluations=len(kept),
        )
        return


def _worst(name: str, value: float) -> bool:
    """0 for what should rise; 1 or 100 for a rate of errors. Of other figures nobody knows."""
    lower = name.lower()
    if any(lower.endswith(error) for error in ERRORS):
        return value in (1.0, 100.0)
    return value == 0 and any(word in lower for word in RISING)

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.prefix_types import LabelPrefixes

FEWEST = 2  # tasks: with a single one there is nothing to tell apart


@probe(id="LAB025", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB02[79]", "LRN*", "GEN*"))
def task_prefix_is_missing(label_prefixes: LabelPrefixes) -> Findings:
    """Labels lack a task token, so the model cannot distinguish its tasks."""
    without = [row for row in label_prefixes.rows if not row.task]
    used = len(without) < len(label_prefixes.rows)
    if not without or not (used or (len(label_prefixes.tasks) >= FEWEST and label_prefixes.is_multitask)):
        return
    known = ", ".join(label_prefixes.tasks[:5])
    yield Finding(
        where=without[0].where,
        message=f"{len(without)} of {len(label_prefixes.rows)} rows start without a task token (known: {known}); they "
        f"start with {' '.join(without[0].names) or 'text'}",
        fix="add language and task tokens before the text: tokenizer.set_prefix_tokens(language=..., task=...) for "
        "Whisper",
        measured={"rows": len(without), "of": len(label_prefixes.rows), "tasks": len(label_prefixes.tasks)},
    )

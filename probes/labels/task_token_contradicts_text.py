from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import LabelTextMatch, LabelTextMatches

COLUMNS_OF_TASK = {"transcrib": ("transcript", "transcription"), "translat": ("translation",), "summar": ("summary",)}


@probe(id="LAB028", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def task_token_contradicts_text(label_text_matches: LabelTextMatches) -> Findings:
    """The task token contradicts the text: for example, a transcript is labeled as a translation."""
    known = [(row, _columns_of_task(row, label_text_matches)) for row in label_text_matches.rows if row.columns]
    wrong = [row for row, meant in known if meant and not meant & set(row.columns)]
    if wrong:
        yield Finding(
            where=wrong[0].where,
            message=f"{len(wrong)} of {len(label_text_matches.rows)} rows start with the token of another task than "
            f"their text: {wrong[0].task} before the {wrong[0].column}",
            fix="select text and task token from the same table in the collator",
            measured={"rows": len(wrong), "of": len(label_text_matches.rows)},
        )


def _columns_of_task(row: LabelTextMatch, targets: LabelTextMatches) -> set[str]:
    """Columns that the row's task asks for and that its item has, with a text of their own."""
    texts = targets.items[row.item].texts if row.item >= 0 else {}
    names = {name for task, names in COLUMNS_OF_TASK.items() if task in row.task.lower() for name in names}
    return {name for name in names if name in texts}

from collections.abc import Iterator

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import LabelTextMatch, LabelTextMatches


@probe(id="LAB027", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB028", "LRN*", "GEN*"))
def tasks_share_one_text(label_text_matches: LabelTextMatches) -> Findings:
    """Tasks share one target text: each item is repeated with the same text for every task."""
    pairs = list(_pairs(label_text_matches))
    same = [(one, other) for one, other in pairs if set(one.columns) & set(other.columns)]
    if not pairs or len(same) < len(pairs):
        return
    one, other = same[0]
    tasks = f"{one.task} and {other.task}" if one.task != other.task else f"{one.task or 'no task'} both times"
    yield Finding(
        where=one.where,
        message=f"all {len(same)} items occur {label_text_matches.parts} times ({tasks}), each time with the same "
        f"{one.column}, although they have other texts",
        fix="use the transcript for one task and the translation for the other",
        measured={"items": len(same), "times": label_text_matches.parts},
        severity=None if one.task != other.task else Severity.WARNING,  # the same row twice may be meant
    )


def _pairs(targets: LabelTextMatches) -> Iterator[tuple[LabelTextMatch, LabelTextMatch]]:
    """First and second time of each item that has several texts, where both are known."""
    first = {row.item: row for row in targets.rows if row.task_index == 0 and row.columns}
    for row in targets.rows:
        several = row.item >= 0 and len(set(targets.items[row.item].texts.values())) > 1
        if targets.parts > 1 and row.task_index == 1 and row.columns and several and row.item in first:
            yield first[row.item], row

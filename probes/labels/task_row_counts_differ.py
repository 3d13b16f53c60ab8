from collections import Counter

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import LabelTextMatches


@probe(id="LAB029", stage=Stage.LABELS, severity=Severity.WARNING, explains=("GEN*",))
def task_row_counts_differ(label_text_matches: LabelTextMatches) -> Findings:
    """Tasks have different row counts in a batch, although each item should occur once per task."""
    matches = label_text_matches
    counts = Counter(row.task for row in matches.rows if row.task)
    if len(matches.rows) <= len(matches.items) or len(counts) < 2 or len(set(counts.values())) == 1:
        return
    told = ", ".join(f"{count} {task}" for task, count in counts.most_common())
    yield Finding(
        where="collate",
        message=f"{len(matches.items)} items give {told}, expected the same number of each",
        fix="return every item once per task, with the inputs repeated in the same order",
        measured={"items": len(matches.items), "most": max(counts.values()), "fewest": min(counts.values())},
    )

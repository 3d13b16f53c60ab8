from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import LabelTextMatches

MANY = 0.01  # one text in a hundred: what is cut is never said, which alone costs about as much of the error rate


@probe(id="LAB016", stage=Stage.LABELS, severity=Severity.WARNING, explains=("LAB007", "LAB028"))
def target_is_truncated(label_text_matches: LabelTextMatches) -> Findings:
    """Target texts are truncated in the labels, so the model never learns their ends."""
    matches = label_text_matches
    if matches.tail:
        yield _shortened(matches)
        return
    cut = [row for row in matches.rows if row.missing_at_end]
    if not cut:
        return
    worst = max(cut, key=lambda row: row.missing_at_end)
    ended = sum(row.ended for row in cut)
    over, counted = (matches.over, matches.counted) if matches.counted else (len(cut), len(matches.rows))
    taught = "; EOS follows the cut, so the model learns to stop in mid-sentence" if ended else ""
    yield Finding(
        where=worst.where,
        message=f"labels are cut at {matches.limit} tokens and lack {worst.missing_at_end} tokens of the "
        f"{worst.column}; of {counted} texts {over} are longer ({over / counted:.1%}), expected none{taught}",
        fix="raise the maximum label length, or drop longer rows",
        measured={"limit": matches.limit, "missing": worst.missing_at_end, "over": over, "of": counted, "ended": ended},
        severity=None if over / counted >= MANY else Severity.NOTE,
    )


def _shortened(targets: LabelTextMatches) -> Finding:
    row = next(row for row in targets.rows if row.columns)
    return Finding(
        where=row.where,
        message=f"the labels of all rows lack the last {targets.tail} tokens of their {row.column}, whatever their "
        "length",
        fix="do not slice the labels: [:-1] is for decoder inputs, not for labels",
        measured={"tokens": targets.tail, "rows": len(targets.rows)},
    )

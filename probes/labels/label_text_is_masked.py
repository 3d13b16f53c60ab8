from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import LabelTextMatch, LabelTextMatches
from probes.facts.labels.types import LabelRow

FIX = "mask by position with the attention mask of the labels, not by comparing ids"


@probe(
    id="LAB004", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB00[367]", "LAB016", "LOS*", "LRN*", "GEN*")
)
def label_text_is_masked(
    decoder_rows: tuple[LabelRow, ...], label_text_matches: LabelTextMatches | None = None
) -> Findings:
    """Labels of text tokens are masked with -100, so the model never learns these tokens."""
    for row in sorted(decoder_rows, key=_holes, reverse=True):
        if _holes(row):
            yield Finding(
                where=row.where,
                message=f"Valid labels: {row.scored}/{row.length} ({row.scored / row.length:.1%}): {_holes(row)} "
                "labels between the first and the last scored label are -100, expected none",
                fix=FIX,
                measured={"valid": row.scored, "labels": row.length, "holes": _holes(row)},
            )
    if not any(map(_holes, decoder_rows)):
        yield from (_lacking(row) for row in (label_text_matches.rows if label_text_matches else ()) if row.masked)


def _holes(row: LabelRow) -> int:
    scored = [place for place, token in enumerate(row.ids) if token >= 0]
    return scored[-1] - scored[0] + 1 - len(scored) if scored else 0


def _lacking(row: LabelTextMatch) -> Finding:
    return Finding(
        where=row.where,
        message=f"{row.masked} tokens of its {row.column} are -100 in the labels, expected none",
        fix=FIX,
        measured={"masked": row.masked, "valid": row.length},
    )

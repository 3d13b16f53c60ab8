from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import LabelTextMatches
from probes.facts.core.types import TokenTable
from probes.facts.labels.types import LabelRow


@probe(id="LAB017", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LOS*", "GRD*", "PRE*", "LRN*", "GEN*"))
def label_is_longer_than_positions(
    decoder_rows: tuple[LabelRow, ...],
    decoder_positions: TokenTable,
    label_text_matches: LabelTextMatches | None = None,
) -> Findings:
    """Labels are longer than the decoder's maximum number of positions."""
    limit = decoder_positions.rows
    rows = [(row.length, row.where) for row in decoder_rows]
    rows += [(row.length, row.where) for row in (label_text_matches.rows if label_text_matches else ())]
    for length, where in sorted(rows, reverse=True):
        if length > limit:
            yield Finding(
                where=where,
                message=f"{length} labels, but the decoder has {limit} positions ({decoder_positions.name})",
                fix=f"drop or split rows with more than {limit} tokens, including prefix and EOS",
                measured={"labels": length, "positions": limit},
            )

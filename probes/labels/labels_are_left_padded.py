from itertools import groupby

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import SpecialIds
from probes.facts.labels.types import EndTokens, LabelRow

AFTER = ("LAB00[2458]", "LAB010", "LOS*", "LRN*", "GEN*")
FEWEST = 2  # rows that are filled up in front


@probe(id="LAB033", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def labels_are_left_padded(
    decoder_rows: tuple[LabelRow, ...], special_ids: SpecialIds, end_tokens: EndTokens
) -> Findings:
    """Labels are left-padded, so the decoder starts with padding in training but not in generation."""
    fill = {-100, *special_ids.padding}
    batches = [list(rows) for _, rows in groupby(decoder_rows, key=lambda row: row.batch)]
    front = [(_front(row, fill), row) for row in decoder_rows]
    filled = [(count, row) for count, row in front if count]
    # every batch has a row that fills it, and no row of any batch has padding behind its end: no prompt looks so
    flush = all(row.ids[-1] not in fill - set(special_ids.ends) and row.ids[-1] >= 0 for row in decoder_rows)
    full = all(any(not _front(row, fill) for row in rows) for rows in batches)
    if len(filled) >= FEWEST and flush and full:
        count, row = max(filled, key=lambda pair: pair[0])
        yield Finding(
            where=row.where,
            message=f"{count} of {row.length} labels before the text are padding, none after it; {len(filled)} of "
            f"{len(decoder_rows)} rows are affected, expected padding only after the text",
            fix='set tokenizer.padding_side = "right" for labels; only decoder-only models use left padding',
            measured={"front": count, "rows": len(filled), "of": len(decoder_rows)},
        )


def _front(row: LabelRow, fill: set[int]) -> int:
    return next((place for place, token in enumerate(row.ids) if token not in fill), 0)

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import LabelTextMatches
from probes.facts.core.types import SpecialIds
from probes.facts.labels.types import LabelRow, LabelShift

ONCE = "pass the labels unshifted: the model creates its decoder inputs from them"


@probe(id="LAB010", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB00[678]", "LOS*", "LRN*", "GEN*"))
def labels_are_shifted_twice(
    decoder_rows: tuple[LabelRow, ...],
    special_ids: SpecialIds,
    decoder_start: int | None = None,
    label_shift: LabelShift | None = None,
    label_text_matches: LabelTextMatches | None = None,
) -> Findings:
    """Labels are shifted twice: by the collator or the loss, and again by the model."""
    shift, matches = label_shift, label_text_matches
    if shift and shift.label_offset is not None and shift.label_offset > 1:
        yield Finding(
            where="batch 0",
            message=f"after label t the decoder must predict label t+{shift.label_offset}, expected t+1: inputs are "
            f"shifted by {shift.input_shift}, logits by {shift.target_shift}",
            fix=ONCE,
            measured={"ahead": shift.label_offset, "inputs": shift.input_shift, "scores": shift.target_shift},
        )
    begun = [row for row in decoder_rows if row.scored > 1 and row.first == decoder_start]
    moved = [row for row in begun if _has_no_end(row, special_ids)]
    if moved and len(moved) == len(decoder_rows):
        yield Finding(
            where=moved[0].where,
            message=f"all {len(moved)} rows start with the start token {decoder_start} and lack EOS "
            f"{special_ids.end}: they are already decoder inputs",
            fix=ONCE,
            measured={"rows": len(moved), "start_token": decoder_start},
        )
    headless = [row for row in matches.rows if row.missing_at_start] if matches else []
    if headless and matches and len(headless) == len([row for row in matches.rows if row.columns]):
        yield Finding(
            where=headless[0].where,
            message=f"all {len(headless)} rows lack the first {headless[0].missing_at_start} tokens of their "
            f"{headless[0].column}: they are shifted left before the model shifts them",
            fix=ONCE,
            measured={"rows": len(headless), "tokens": headless[0].missing_at_start},
        )


def _has_no_end(row: LabelRow, special: SpecialIds) -> bool:
    """The first label does not count: some models start with their end token."""
    return bool(special.ends) and not set(row.ids[1:]) & set(special.ends)

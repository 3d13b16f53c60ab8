from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import SpecialIds
from probes.facts.labels.types import LabelRow

FEWEST = 2  # one token behind the end may be meant: some models put the language there


AFTER = ("LAB01[89]", "LAB036", "LOS*", "LRN*", "GEN*")


@probe(id="LAB005", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def label_padding_id_is_wrong(decoder_rows: tuple[LabelRow, ...], special_ids: SpecialIds) -> Findings:
    """Labels are padded with a token that is neither -100 nor the padding token, so it is scored."""
    filled = [(row, tail) for row in decoder_rows if (tail := _tail(row, special_ids)) and len(tail) >= FEWEST]
    if filled:
        row, tail = max(filled, key=lambda pair: len(pair[1]))
        known = ", ".join(map(str, special_ids.padding)) or "not defined"
        yield Finding(
            where=row.where,
            message=f"after EOS there are {len(tail)} scored labels with id {tail[0]}, in {len(filled)} of "
            f"{len(decoder_rows)} rows; the padding token is {known} in tokenizer and model, expected -100",
            fix=f"pad labels with -100, not with {tail[0]}: replacing pad_token_id by -100 does not affect this id",
            measured={"rows": len(filled), "of": len(decoder_rows), "id": tail[0], "most": len(tail)},
        )


def _tail(row: LabelRow, special: SpecialIds) -> tuple[int, ...]:
    """What stands behind the first end token, where that is one id over and over and all of it is scored."""
    end = next((place for place, token in enumerate(row.ids) if token in special.ends), None)
    tail = row.ids[end + 1 :] if end is not None else ()
    return tail if len(set(tail)) == 1 and tail[0] >= 0 and tail[0] not in special.padding else ()

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import SpecialIds
from probes.facts.labels.types import LabelRow


@probe(id="LAB035", stage=Stage.LABELS, severity=Severity.WARNING)
def end_token_is_doubled(decoder_rows: tuple[LabelRow, ...], special_ids: SpecialIds) -> Findings:
    """The EOS token is doubled: every row of labels ends with two of them."""
    ends = set(special_ids.ends) - set(special_ids.padding)  # where padding is the end token it is LAB002's to tell
    said = [[token for token in row.ids if token >= 0] for row in decoder_rows]
    doubled = [row for row, ids in zip(decoder_rows, said, strict=True) if len(ids) > 1 and {*ids[-2:]} <= ends]
    if doubled and len(doubled) == len(decoder_rows):
        yield Finding(
            where=doubled[0].where,
            message=f"all {len(doubled)} rows end with the EOS token {special_ids.end} twice, expected once",
            fix="do not append EOS if the tokenizer already adds it (add_special_tokens=True)",
            measured={"rows": len(doubled), "end_token": special_ids.end},
        )

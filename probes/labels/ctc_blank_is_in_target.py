from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import CtcRow

AFTER = ("LAB002", "LAB018", "LOS*", "GRD*", "LRN*", "GEN*")


@probe(id="LAB019", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def ctc_blank_is_in_target(ctc_rows: tuple[CtcRow, ...]) -> Findings:
    """CTC targets contain the blank token: model and tokenizer use different blank ids."""
    wrong = [row for row in ctc_rows if row.blanks]
    if wrong:
        worst = max(wrong, key=lambda row: row.blanks)
        yield Finding(
            where=worst.where,
            message=f"{worst.blanks} of {worst.symbols} symbols are {worst.blank}, the blank of the loss; "
            f"{len(wrong)} of {len(ctc_rows)} rows are affected, expected none",
            fix="set model.config.pad_token_id (the blank of transformers' CTC models) to the tokenizer's pad_token_id",
            measured={"rows": len(wrong), "of": len(ctc_rows), "blank": worst.blank},
        )

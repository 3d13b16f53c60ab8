from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import SpecialTokens


@probe(id="TOK006", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("LAB00[67]", "GEN*"))
def special_token_ids_differ(special_tokens: SpecialTokens) -> Findings:
    """EOS or padding token ids differ between tokenizer, model config and generation config."""
    own = special_tokens.ends.get("tokenizer", ())
    for who, ids in special_tokens.ends.items():
        if own and not set(own) & set(ids):
            yield Finding(
                where=f"{who}.eos_token_id",
                message=f"the EOS token is {ids[0]} in {who} and {own[0]} in the tokenizer, which creates the labels",
                fix=f"set {who}.eos_token_id = tokenizer.eos_token_id",
                measured={"tokenizer": own[0], who: ids[0]},
            )
    pad = special_tokens.paddings.get("tokenizer")
    for who, number in special_tokens.paddings.items():
        if pad is not None and number != pad:
            yield Finding(
                where=f"{who}.pad_token_id",
                message=f"the padding token is {number} in {who} and {pad} in the tokenizer; this matters if padding "
                "is masked by id, and for the CTC blank",
                fix=f"set {who}.pad_token_id = tokenizer.pad_token_id",
                measured={"tokenizer": pad, who: number},
                # Some releases differ so, and with a mask by position it does no harm; but it is the blank of CTC.
                severity=None if special_tokens.is_ctc and who == "model.config" else Severity.NOTE,
            )

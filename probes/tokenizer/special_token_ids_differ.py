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
                message=f"the end token is {ids[0]} by {who} and {own[0]} by the tokenizer, which writes the labels",
                fix=f"set {who}.eos_token_id = tokenizer.eos_token_id",
                measured={"tokenizer": own[0], who: ids[0]},
            )
    pad = special_tokens.paddings.get("tokenizer")
    for who, number in special_tokens.paddings.items():
        if pad is not None and number != pad:
            yield Finding(
                where=f"{who}.pad_token_id",
                message=f"the padding token is {number} by {who} and {pad} by the tokenizer; it matters where padding "
                "is masked by id, and as the blank of CTC",
                fix=f"set {who}.pad_token_id = tokenizer.pad_token_id",
                measured={"tokenizer": pad, who: number},
                severity=Severity.NOTE,  # some releases differ so, and with a mask by position it does no harm
            )

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import LabelRow
from probes.facts.tokenizer.types import SpecialTokens

FEWEST = 2  # rows that begin alike


@probe(
    id="TOK005",
    stage=Stage.TOKENIZER,
    severity=Severity.ERROR,
    explains=("LAB00[67]", "LAB025", "TOK006", "LRN*", "GEN*"),
)
def special_tokens_collide(special_tokens: SpecialTokens, decoder_rows: tuple[LabelRow, ...] | None = None) -> Findings:
    """A special token has the same id as the unknown token."""
    unknown = special_tokens.unknown
    if unknown is None or not special_tokens.says_unknown:
        return
    taken = [f"{role}_token" for role, number in special_tokens.roles.items() if number == unknown]
    taken += [name for name, number in special_tokens.names.items() if number == unknown]
    if taken:
        yield Finding(
            where="tokenizer",
            message=f"{', '.join(dict.fromkeys(taken))} and the unknown token are all {unknown}, expected different "
            "ids",
            fix="add them with tokenizer.add_special_tokens, then resize the embeddings",
            measured={"id": unknown, "tokens": len(taken)},
        )
    rows = decoder_rows or ()
    if len(rows) >= FEWEST and all(row.first == unknown for row in rows):
        yield Finding(
            where=rows[0].where,
            message=f"all {len(rows)} rows start with the unknown token {unknown}: the task or language token is not "
            "in the tokenizer",
            fix="add the task and language tokens to the tokenizer before tokenizing the texts",
            measured={"rows": len(rows), "id": unknown},
        )

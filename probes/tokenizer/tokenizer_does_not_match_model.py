from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import TokenTables

SHARE = 1.1  # released models round their rows up by at most 2 % (Phi-2: 51,200 rows for 50,295 tokens)
FEWEST = 1024  # and small ones to a multiple of some hundreds at most


@probe(id="TOK002", stage=Stage.TOKENIZER, severity=Severity.WARNING)
def tokenizer_does_not_match_model(vocabulary_size: int, token_tables: TokenTables) -> Findings:
    """The tokenizer does not match the model: it has far fewer tokens than the embedding has rows."""
    table = token_tables.embedding
    if table and table.rows > SHARE * vocabulary_size and table.rows - vocabulary_size > FEWEST:
        yield Finding(
            where=table.name,
            message=f"the tokenizer has {vocabulary_size} tokens, the embedding {table.rows} rows, expected about the "
            "same: ids have different meanings in tokenizer and model",
            fix="load tokenizer and model from the same checkpoint",
            measured={"tokens": vocabulary_size, "rows": table.rows},
        )

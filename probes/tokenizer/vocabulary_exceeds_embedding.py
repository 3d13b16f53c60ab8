from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import TokenTables

AFTER = ("LAB015", "TOK013", "LOS*", "GRD*", "PRE*", "LRN*", "GEN*")


@probe(id="TOK001", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=AFTER)
def vocabulary_exceeds_embedding(vocabulary_size: int, token_tables: TokenTables) -> Findings:
    """The tokenizer has more tokens than the model's embedding or output layer has rows."""
    for table, what in ((token_tables.embedding, "embedding"), (token_tables.head, "head")):
        # a head far smaller than the vocabulary scores classes, not tokens; one that was not resized lacks a few rows
        classes = what == "head" and table and 2 * table.rows < vocabulary_size
        if table and vocabulary_size > table.rows and not classes:
            yield Finding(
                where=table.name,
                message=f"the tokenizer has {vocabulary_size} tokens, this {what} has {table.rows} rows",
                fix="use the model's tokenizer, or call model.resize_token_embeddings(len(tokenizer))",
                measured={"tokens": vocabulary_size, "rows": table.rows},
            )

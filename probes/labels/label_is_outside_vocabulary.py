from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import TokenTables
from probes.facts.first_step.types import FirstStep
from probes.facts.labels.types import LabelRow


@probe(id="LAB015", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LOS*", "GRD*", "PRE*", "LRN*", "GEN*"))
def label_is_outside_vocabulary(
    decoder_rows: tuple[LabelRow, ...], token_tables: TokenTables, first_step: FirstStep | None = None
) -> Findings:
    """A label id is outside the range of the model's embedding or output layer."""
    tables = [table for table in (token_tables.embedding, token_tables.head) if table]
    smallest = min(tables, key=lambda table: table.rows)
    strict = first_step is None or first_step.failure is not None  # a loss that goes through skips what is below nought
    for row in sorted(decoder_rows, key=lambda row: -max(row.ids)):
        outside = [token for token in row.ids if token >= smallest.rows or (strict and token < 0 and token != -100)]
        if outside:
            yield Finding(
                where=row.where,
                message=f"{len(outside)} of {row.length} labels are outside 0 to {smallest.rows - 1}, the rows of "
                f"{smallest.name}: {', '.join(map(str, outside[:5]))}",
                fix="use the model's tokenizer, or call model.resize_token_embeddings(len(tokenizer))",
                measured={"outside": len(outside), "largest": max(outside), "rows": smallest.rows},
            )

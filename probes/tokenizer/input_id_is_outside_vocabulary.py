from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import InputIdRange


@probe(id="TOK013", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("LOS*", "GRD*", "PRE*", "LRN*", "GEN*"))
def input_id_is_outside_vocabulary(largest_input_id: InputIdRange) -> Findings:
    """An input id is outside the model's embedding, so the forward pass raises an IndexError."""
    if largest_input_id.largest >= largest_input_id.rows:
        yield Finding(
            where=largest_input_id.where,
            message=f"the largest of input_ids is {largest_input_id.largest}, but {largest_input_id.table} has "
            f"{largest_input_id.rows} rows",
            fix="use the model's tokenizer, or call model.resize_token_embeddings(len(tokenizer))",
            measured={"largest": largest_input_id.largest, "rows": largest_input_id.rows},
        )

from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    id="start_not_set",
    breaks="the outer configuration does not say what the decoder starts with",
    named_by="TOK007",
    proof=lambda facts: facts["model"].config.decoder_start_token_id is None,
    applies_to=("e2e", "mt5"),
)
def start_not_set(facts: Facts) -> Facts:
    facts["model"].config.decoder_start_token_id = None
    return facts

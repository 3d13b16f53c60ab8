from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    id="start_not_set",
    description="the outer configuration does not say what the decoder starts with",
    probe_id="TOK007",
    is_present=lambda facts: facts["model"].config.decoder_start_token_id is None,
    applies_to=("e2e", "mt5"),
)
def start_not_set(facts: Facts) -> Facts:
    facts["model"].config.decoder_start_token_id = None
    return facts

from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "the outer configuration does not say what the decoder starts with",
    "TOK007",
    lambda facts: facts["model"].config.decoder_start_token_id is None,
    ("e2e", "mt5"),
)
def start_not_set(facts: Facts) -> Facts:
    facts["model"].config.decoder_start_token_id = None
    return facts

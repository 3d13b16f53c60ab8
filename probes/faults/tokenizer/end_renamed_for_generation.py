from diagnose import fault
from probes.faults.kit.changes import Facts

OTHER = 5


@fault(
    "generation waits for another end token than the labels have",
    "TOK006",
    lambda facts: facts["model"].generation_config.eos_token_id == OTHER,
    ("whisper", "e2e", "mt5"),
)
def end_renamed_for_generation(facts: Facts) -> Facts:
    facts["model"].generation_config.eos_token_id = OTHER
    return facts

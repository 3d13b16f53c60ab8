from diagnose import fault
from probes.faults.kit.changes import Facts

OTHER = 5


@fault(
    id="end_renamed_for_generation",
    description="generation waits for another end token than the labels have",
    probe_id="TOK006",
    is_present=lambda facts: facts["model"].generation_config.eos_token_id == OTHER,
    applies_to=("whisper", "e2e", "mt5"),
)
def end_renamed_for_generation(facts: Facts) -> Facts:
    facts["model"].generation_config.eos_token_id = OTHER
    return facts

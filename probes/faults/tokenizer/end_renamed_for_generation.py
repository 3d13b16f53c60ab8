from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.generation_changes import generation_setting_is, set_generation

OTHER = 5


@fault(
    "generation waits for another end token than the labels have",
    "TOK006",
    generation_setting_is("eos_token_id", OTHER),
    HF_MODELS,
)
def end_renamed_for_generation(facts: Facts) -> Facts:
    return set_generation(facts, eos_token_id=OTHER)

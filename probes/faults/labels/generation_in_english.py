from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.generation_changes import generation_setting_is, set_generation


@fault(
    "labels start with <|vi|>, and generation uses English",
    "LAB026",
    generation_setting_is("language", "en"),
    ("whisper",),
)
def generation_in_english(facts: Facts) -> Facts:
    return set_generation(facts, language="en")

from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "labels begin with <|vi|>, and generation asks for English",
    "LAB026",
    lambda f: getattr(f["model"].generation_config, "language", None) == "en",
    ("whisper",),
)
def generation_in_english(facts: Facts) -> Facts:
    facts["model"].generation_config.language = "en"
    return facts

from diagnose import fault
from probes.faults.kit.changes import THEIRS, Facts


@fault(
    "a temperature without sampling stands in generation_config, which cannot be saved so",
    "GEN018",
    lambda facts: facts["model"].generation_config.temperature == 0.3,
    THEIRS,
)
def settings_refused_on_saving(facts: Facts) -> Facts:
    facts["model"].generation_config.temperature = 0.3
    return facts

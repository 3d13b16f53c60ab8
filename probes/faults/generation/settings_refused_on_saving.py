from diagnose import fault
from probes.faults.kit.changes import THEIRS, Facts


@fault(
    id="settings_refused_on_saving",
    description="a temperature without sampling stands in generation_config, which cannot be saved so",
    probe_id="GEN018",
    is_present=lambda facts: facts["model"].generation_config.temperature == 0.3,
    applies_to=THEIRS,
)
def settings_refused_on_saving(facts: Facts) -> Facts:
    facts["model"].generation_config.temperature = 0.3
    return facts

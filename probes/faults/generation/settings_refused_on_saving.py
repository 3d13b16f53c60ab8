from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.generation_changes import generation_setting_is, set_generation


@fault(
    "a temperature without sampling stands in generation_config, which cannot be saved so",
    "GEN018",
    generation_setting_is("temperature", 0.3),
    HF_MODELS,
)
def settings_refused_on_saving(facts: Facts) -> Facts:
    return set_generation(facts, temperature=0.3)

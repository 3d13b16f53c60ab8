from diagnose import fault
from probes.faults.kit.argument_changes import with_arguments
from probes.faults.kit.changes import Facts


def _is_off(facts: Facts) -> bool:
    if "config_values" in facts:
        return not facts["config_values"].get("training.max_grad_norm", (1.0,))[0]
    return (facts.get("training_arguments") or {}).get("max_grad_norm", 1.0) == 0.0


@fault("gradient clipping is switched off", "CFG022", _is_off)
def clipping_off(facts: Facts) -> Facts:
    return with_arguments(facts, max_grad_norm=0.0, seed=0)

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.argument_changes import argument, with_arguments
from probes.faults.kit.changes import Facts

DROP = ("layerdrop", "encoder_layerdrop")


def _dropped(facts: Facts) -> bool:
    from probes.facts.settings.gradient_checkpointing import layer_drop

    asked = argument(facts, "gradient_checkpointing") is True and facts.get("processes", 1) > 1
    return asked and layer_drop(facts["model"]) > 0


@fault("layers are left out under checkpointing, in two processes", "CFG011", _dropped, ("whisper", "e2e"))
def layers_dropped_in_processes(facts: Facts) -> Facts:
    """In the configuration and, where a part has copied it, in that part."""
    dropping = [part for part in facts["model"].modules() if any(hasattr(part, name) for name in ("config", *DROP))]
    found = [(holder, name) for part in dropping for holder in (part, getattr(part, "config", None)) for name in DROP]
    held = [(holder, name) for holder, name in found if hasattr(holder, name)]
    if not held:
        raise NotApplicable("it has no layers that it could leave out")
    for holder, name in held:
        setattr(holder, name, 0.1)
    return {**with_arguments(facts, gradient_checkpointing=True), "processes": 2}

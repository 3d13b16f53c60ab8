from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.argument_changes import argument, with_arguments
from probes.faults.kit.changes import Facts

DROP = ("layerdrop", "encoder_layerdrop")


def _drops(facts: Facts) -> bool:
    from probes.facts.settings.gradient_checkpointing import layer_drop

    recomputes = argument(facts, "gradient_checkpointing") is True
    return recomputes and facts.get("processes", 1) > 1 and layer_drop(facts["model"]) > 0


@fault(
    "layers are left out under checkpointing, in two processes",
    "CFG011",
    _drops,
    ("whisper", "e2e"),
)
def layers_dropped_in_processes(facts: Facts) -> Facts:
    """In the configuration and, where a part has copied it, in that part."""
    parts = [holder for part in facts["model"].modules() for holder in (part, getattr(part, "config", None))]
    settings = [(holder, name) for holder in parts for name in DROP if hasattr(holder, name)]
    if not settings:
        raise NotApplicable("it has no layers that it could leave out")
    for holder, name in settings:
        setattr(holder, name, 0.1)
    return {**with_arguments(facts, gradient_checkpointing=True), "processes": 2}

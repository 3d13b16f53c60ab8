import threading

from diagnose import fault
from probes.faults.kit.changes import TORCH_MODELS, Facts


@fault(
    "the model's state holds a lock, which no file can hold",
    "GEN018",
    lambda facts: "_extra_state" in facts["model"].state_dict(),
    TORCH_MODELS,
)
def state_that_cannot_be_written(facts: Facts) -> Facts:
    kind, lock = type(facts["model"]), threading.Lock()
    state = {"get_extra_state": lambda self: lock, "set_extra_state": lambda self, state: None}
    facts["model"].__class__ = type(kind.__name__, (kind,), state)
    return facts

from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, batch_of


def _is_idle(facts: Facts) -> bool:
    """The model has a norm, and a forward pass does not call it."""
    import torch

    norm = getattr(facts["model"], "norm", None)
    if norm is None:
        return False
    calls: list[bool] = []
    handle = norm.register_forward_hook(lambda *given: calls.append(True))
    with torch.no_grad():
        facts["model"](batch_of(facts)[0])
    handle.remove()
    return not calls


@fault("a norm is defined, trained and never called", "GRD024", _is_idle, CLASSIFIER)
def norm_never_called(facts: Facts) -> Facts:
    from probes.subjects.wrapped_models import Wrapped, with_model

    return with_model(facts, Wrapped(facts["model"]))

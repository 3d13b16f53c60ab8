from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.model_parts import activation_of

BEFORE = ("fc1", "intermediate_dense", "linear1", "1")


def _bias(facts: Facts) -> float:
    holder, _ = activation_of(facts)
    layer = next(getattr(holder, name) for name in BEFORE if hasattr(holder, name))
    return float(layer.bias.detach().max())


@fault(
    "the bias before an activation is initialised to -100",
    "GRD007",
    lambda facts: _bias(facts) == -100.0,
    ("whisper", "e2e", "hybrid", "classifier"),
)
def units_switched_off(facts: Facts) -> Facts:
    import torch

    holder, _ = activation_of(facts)
    layer = next(getattr(holder, name) for name in BEFORE if hasattr(holder, name))
    torch.nn.init.constant_(layer.bias, -100.0)
    return facts

from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.module_changes import add_behind, freeze_front, with_optimizer


def _adapter(width: int) -> Any:
    from torch.nn import Linear

    return Linear(width, width)


def _frozen(facts: Facts) -> bool:
    named = [one for name, one in facts["model"].named_parameters() if "adapter" in name]
    return bool(named) and not any(one.requires_grad for one in named)


@fault("a new adapter in the encoder is frozen with it", "PAR003", _frozen, SEQUENCES)
def adapter_frozen_with_encoder(facts: Facts) -> Facts:
    add_behind(facts, "new_adapter", _adapter)
    freeze_front(facts)
    return with_optimizer(facts) | {"fresh": ("*adapter*",)}

"""Parts of a model that faults are put into."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import hook_output
from probes.faults.kit.model_parts import front_of


def first_linear(facts: Facts) -> Any:
    """The first linear layer of a stack; of a model without one, the first of all."""
    from torch.nn import Linear

    found = [(name, part) for name, part in facts["model"].named_modules() if type(part) is Linear]
    inner = [(name, part) for name, part in found if any(piece.isdigit() for piece in name.split("."))]
    return (inner or found)[0][1]


def first_weight(facts: Facts) -> Any:
    return first_linear(facts).weight


def with_optimizer(facts: Facts, lr: float = 1e-3, **settings: Any) -> Facts:
    """The facts with an optimiser over what the model trains now."""
    from torch.optim import AdamW

    parameters = [parameter for parameter in facts["model"].parameters() if parameter.requires_grad]
    return {**facts, "optimizer": AdamW(parameters, lr=lr, **settings)}


def learning_rate_is(rate: float) -> Callable[[Facts], bool]:
    return lambda facts: all(group["lr"] == rate for group in facts["optimizer"].param_groups)


def add_behind(facts: Facts, name: str, make: Any) -> Any:
    """A new module behind the front, held by it under this name; made by make(width)."""
    front, part = front_of(facts), make(width_of(facts))
    front.add_module(name, part)
    hook_output(front, lambda hidden: part(hidden))
    return part


def add_adapter(facts: Facts) -> None:
    """A new linear layer behind the front."""
    from torch.nn import Linear

    add_behind(facts, "new_adapter", lambda width: Linear(width, width))


def adapter_is_frozen(facts: Facts) -> bool:
    adapter = [parameter for name, parameter in facts["model"].named_parameters() if "adapter" in name]
    return bool(adapter) and not any(parameter.requires_grad for parameter in adapter)


def add_batch_norm(facts: Facts) -> Any:
    """A new batch norm over the last axis, behind the front."""
    from torch.nn import BatchNorm1d, Module

    class FeatureBatchNorm(Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.norm = BatchNorm1d(width)

        def forward(self, hidden: Any) -> Any:
            return self.norm(hidden.reshape(-1, hidden.shape[-1])).reshape(hidden.shape)

    return add_behind(facts, "statistics", FeatureBatchNorm).norm


def batch_norm_of(facts: Facts) -> Any:
    """The batch norm that was added; None where there is none."""
    return next((part for name, part in facts["model"].named_modules() if name.endswith("statistics.norm")), None)


def load_partly(facts: Facts, is_saved: Callable[[str], bool]) -> Facts:
    """The facts of a model that was loaded with strict=False from a checkpoint with these names alone."""
    saved = {name: value for name, value in facts["model"].state_dict().items() if is_saved(name)}
    return {**facts, "missing_keys": facts["model"].load_state_dict(saved, strict=False).missing_keys}


def width_of(facts: Facts) -> int:
    config = getattr(facts["model"], "config", None)
    config = getattr(config, "encoder", None) or config
    sizes = [getattr(config, name, None) for name in ("d_model", "hidden_size")]
    return next((size for size in sizes if size), 32 if hasattr(facts["model"], "encoder") else 24)


def freeze_front(facts: Facts) -> None:
    front_of(facts).requires_grad_(False)


def move_from_init(facts: Facts) -> None:
    """Moves every parameter away from what initialisation leaves, as training does."""
    import torch

    with torch.no_grad():
        for parameter in facts["model"].parameters():
            parameter.mul_(torch.exp(0.5 * torch.randn_like(parameter))).add_(0.002 * torch.randn_like(parameter))

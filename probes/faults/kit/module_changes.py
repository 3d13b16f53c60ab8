"""Parts of a model that faults are put into."""

from typing import Any

from probes.faults.kit.changes import Facts, hook_output
from probes.faults.kit.model_parts import front_of


def first_linear(facts: Facts) -> tuple[str, Any]:
    """The first linear layer of a stack; of a model without one, the first of all."""
    from torch.nn import Linear

    found = [(name, part) for name, part in facts["model"].named_modules() if type(part) is Linear]
    inner = [(name, part) for name, part in found if any(piece.isdigit() for piece in name.split("."))]
    return (inner or found)[0]


def with_optimizer(facts: Facts, **settings: Any) -> Facts:
    """The facts with an optimiser over the model as it is now."""
    from torch.optim import AdamW

    given = [one for one in facts["model"].parameters() if one.requires_grad]
    return {**facts, "optimizer": AdamW(given, lr=1e-3, **settings)}


def add_behind(facts: Facts, name: str, make: Any) -> Any:
    """A new module behind the front, held by it under this name; `make` is given the width."""
    held, width = front_of(facts), width_of(facts)
    part = make(width)
    held.add_module(name, part)
    hook_output(held, lambda hidden: part(hidden))
    return part


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

"""Several optimizers as one: a run that trains its parts with different optimizers gives a list of them."""

from collections.abc import Sequence
from itertools import chain
from typing import Any


class JoinedState(dict[Any, Any]):
    """The states of all parameters; clearing it clears the optimizers' own."""

    def __init__(self, optimizers: Sequence[Any]) -> None:
        super().__init__(chain.from_iterable(optimizer.state.items() for optimizer in optimizers))
        self._states = [optimizer.state for optimizer in optimizers]

    def clear(self) -> None:
        super().clear()
        for state in self._states:
            state.clear()


class OptimizerList:
    """Steps and clears them all. `param_groups` are their own groups, so a rate that is set here is set there."""

    def __init__(self, optimizers: Sequence[Any]) -> None:
        self.optimizers = list(optimizers)
        self.defaults = dict(getattr(self.optimizers[0], "defaults", {}))

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        return list(chain.from_iterable(optimizer.param_groups for optimizer in self.optimizers))

    @property
    def state(self) -> "JoinedState":
        return JoinedState(self.optimizers)

    def step(self) -> None:
        for optimizer in self.optimizers:
            optimizer.step()

    def zero_grad(self, set_to_none: bool = True) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=set_to_none)

    def state_dict(self) -> dict[str, Any]:
        return {"optimizers": [optimizer.state_dict() for optimizer in self.optimizers]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for optimizer, own in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(own)


def as_one_optimizer(value: Any) -> Any:
    """A list, tuple or dict of optimizers as one; anything else as it is."""
    parts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(parts, list | tuple) or not parts or not all(hasattr(one, "param_groups") for one in parts):
        return value
    return parts[0] if len(parts) == 1 else OptimizerList(parts)

"""Each node of the graph is marked with the place in the code that made it: a backward pass can be read by it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from probes.facts.core.torch_ops import flat

MARK = "gonogo"


@dataclass(frozen=True)
class Place:
    """Where an operation was called from."""

    module: str = ""
    kind: str = ""
    call: int = 1
    line: str = ""
    function: str = ""  # innermost function outside of torch
    loss: bool = False  # no module of the model was running, or a loss function was


class Marking(TorchFunctionMode):
    """Above autograd: what comes out has its nodes, and they get the place that made them."""

    def __init__(self, place: Callable[[], Place]) -> None:
        super().__init__()
        self.place = place

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = func(*args, **(kwargs or {}))
        mark(output, self.place)
        return output


def mark(output: Any, place: Callable[[], Place]) -> None:
    """All nodes behind the output that have no mark yet were made here."""
    fresh: list[Any] = [tensor.grad_fn for tensor in flat(output) if _unmarked(tensor.grad_fn)]
    here = place() if fresh else None
    while fresh:
        node = fresh.pop()
        node.metadata[MARK] = here
        fresh += [before for before, _ in node.next_functions if _unmarked(before)]


def place_of_node() -> tuple[Place | None, str]:
    """In a backward pass: where the node that is running was made, and its name."""
    node: Any = torch._C._current_autograd_node()
    return (None, "") if node is None else (node.metadata.get(MARK), node.name())


def _unmarked(node: Any) -> bool:
    return node is not None and MARK not in node.metadata

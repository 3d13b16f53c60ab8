"""Each node of the graph is marked with the place in the code that made it: a backward pass can be read by it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from probes.facts.core.torch_ops import iter_leaves

MARK = "gonogo"


@dataclass(frozen=True)
class CodeLocation:
    """Where an operation was called from."""

    module: str = ""
    kind: str = ""
    call: int = 1
    line: str = ""
    function: str = ""  # innermost function outside of torch
    loss: bool = False  # no module of the model was running, or a loss function was


class GraphAnnotator(TorchFunctionMode):
    """Above autograd: what comes out has its nodes, and they get the place that made them."""

    def __init__(self, place: Callable[[], CodeLocation]) -> None:
        super().__init__()
        self.place = place

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = func(*args, **(kwargs or {}))
        annotate_nodes(output, self.place)
        return output


def annotate_nodes(output: Any, place: Callable[[], CodeLocation]) -> None:
    """All nodes behind the output that have no mark yet were made here."""
    fresh: list[Any] = [tensor.grad_fn for tensor in iter_leaves(output) if _unmarked(tensor.grad_fn)]
    here = place() if fresh else None
    while fresh:
        node = fresh.pop()
        node.metadata[MARK] = here
        fresh += [before for before, _ in node.next_functions if _unmarked(before)]


def place_of_node() -> tuple[CodeLocation | None, str]:
    """In a backward pass: where the node that is running was made, and its name."""
    node: Any = torch._C._current_autograd_node()
    return (None, "") if node is None else (node.metadata.get(MARK), node.name())


def _unmarked(node: Any) -> bool:
    return node is not None and MARK not in node.metadata

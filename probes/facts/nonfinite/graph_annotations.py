"""Marks each node of the graph with the code location that made it, to read a backward pass by."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from probes.facts.core.hooks import FunctionSpy
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


class GraphAnnotator(FunctionSpy):
    """Marks the nodes of each result; a function mode runs above autograd."""

    def __init__(self, place: Callable[[], CodeLocation]) -> None:
        super().__init__()
        self.place = place

    def after_call(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        annotate_nodes(result, self.place)


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

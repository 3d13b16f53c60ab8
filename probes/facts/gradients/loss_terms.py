"""Splits the loss into its terms, and reads from the graph which parameters each term reaches."""

from collections.abc import Iterator
from typing import Any

import torch

Node = Any
REENTRANT = "CheckpointFunctionBackward"  # it hides what it recomputes: such a graph is not read


def terms_of_loss(loss: torch.Tensor) -> list[Node]:
    """The nodes of the numbers that the loss is made of; one alone where it is no sum."""
    return list(dict.fromkeys(_split(loss.grad_fn)))


def _split(node: Node) -> Iterator[Node]:
    below = [child for child, _ in node.next_functions if child is not None]
    if below and all(_is_number(child) for child in below):
        for child in below:
            yield from _split(child)
    elif node.name() != "torch::autograd::AccumulateGrad":
        yield node


def _is_number(node: Node) -> bool:
    """Of one element; or several such numbers stacked."""
    shape = node._input_metadata[0].shape if node._input_metadata else ()
    if all(length == 1 for length in shape):
        return True
    below = [child for child, _ in node.next_functions if child is not None]
    return node.name() in ("StackBackward0", "CatBackward0") and all(_is_number(child) for child in below)


def parameters_reached(node: Node, names: dict[int, str]) -> dict[str, int] | None:
    """Parameters that the graph leads to, each with the number of the operation that used it first; None: hidden."""
    found: dict[str, int] = {}
    seen, stack = {node}, [node]
    while stack:
        one = stack.pop()
        if one.name() == REENTRANT:
            return None
        for child, _ in one.next_functions:
            if child is None:
                continue
            name = names.get(id(getattr(child, "variable", None)))
            if name is not None:
                number = one._sequence_nr()
                found[name] = min(found.get(name, number), number)
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return found


def is_cut(model: torch.nn.Module, own: dict[str, int], lacking: list[int]) -> bool:
    """Whether all that the graph leads to was used after what it lacks: else it goes past that on purpose.

    A straight-through gradient leads on to the encoder. A table that is looked up by number reads no module's output.
    """
    readers = [n for name, n in own.items() if not isinstance(_holder(model, name), torch.nn.Embedding)]
    return bool(readers) and min(readers) > min(lacking)


def _holder(model: torch.nn.Module, name: str) -> torch.nn.Module:
    return model.get_submodule(name.rpartition(".")[0])

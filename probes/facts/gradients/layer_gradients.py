"""Gradients of layers in a row, read from the parameters' names: layers.0, layers.1, …"""

from collections import defaultdict
from collections.abc import Iterator

from probes.facts.first_step.types import Gradients, ParameterGradient
from probes.facts.gradients.types import LayerGradients


def layer_stacks(gradients: Gradients) -> Iterator[LayerGradients]:
    """Every row of numbered layers that all hold a matrix with a gradient."""
    found: dict[str, dict[int, list[ParameterGradient]]] = defaultdict(lambda: defaultdict(list))
    for row in gradients.rows:
        pieces = row.name.split(".")
        for place, piece in enumerate(pieces):
            if piece.isdigit() and row.dims > 1:
                found[".".join(pieces[:place])][int(piece)].append(row)
    for stack, layers in found.items():
        sizes = {number: _size(rows) for number, rows in sorted(layers.items())}
        if len(sizes) > 1 and all(sizes.values()):
            names = tuple(f"{stack}.{number}".lstrip(".") for number in sizes)
            yield LayerGradients(stack, names, tuple(sizes.values()))


def _size(rows: list[ParameterGradient]) -> float:
    """Root mean square of the elements; nought where one has no gradient, or one that is not finite."""
    if any(not row.norm or not row.finite for row in rows):
        return 0.0
    return float((sum((row.norm or 0.0) ** 2 for row in rows) / sum(row.size for row in rows)) ** 0.5)

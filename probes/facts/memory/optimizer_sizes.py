"""The state of other optimizers, from the shapes of what is trained."""

from collections.abc import Iterable

from torch import Size

BLOCK = 256  # values of an eight-bit state that share one float32 scale, as in bitsandbytes
SMALLEST = 4096  # values below which bitsandbytes keeps float32


def adafactor_state(shapes: Iterable[Size]) -> int:
    """A row and a column for each matrix instead of a value for each weight; no momentum."""
    return sum(4 * _factored(shape) for shape in shapes)


def _factored(shape: Size) -> int:
    if len(shape) < 2:
        return shape.numel()
    return shape.numel() // shape[-1] + shape.numel() // shape[-2]


def eight_bit_adam_state(shapes: Iterable[Size]) -> int:
    """Two states of one byte for each weight, and a scale for each block of them."""
    sizes = [shape.numel() for shape in shapes]
    return sum(8 * size if size < SMALLEST else 2 * (size + 4 * -(-size // BLOCK)) for size in sizes)

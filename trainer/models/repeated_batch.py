"""Task "both" puts every clip into a batch twice; it is encoded once."""

import torch
from torch import Tensor


def batch_repeats(*inputs: Tensor) -> int:
    """2 when the second half of the batch is the first half again, in every input; else 1."""
    half, odd = divmod(len(inputs[0]), 2)
    return 2 if half and not odd and all(torch.equal(rows[:half], rows[half:]) for rows in inputs) else 1

"""The memory of the device: as it was stated, of the GPU that is here, or of this machine."""

import re

import psutil
import torch

from diagnose.common.errors import InputError
from probes.facts.memory.types import MemoryLimit

# The context of CUDA with the kernels of torch, cuBLAS and cuDNN: 0.3 to 0.5 GB, and not in torch's own count.
OVERHEAD = 500_000_000
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def bytes_of(text: str | int) -> int:
    """4GB, 4096MiB, 80g, or a plain number of bytes."""
    found = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]i?)?b?\s*", str(text), re.IGNORECASE)
    try:
        size = int(float(found[1]) * UNITS[(found[2] or "").lower()]) if found else 0
    except ValueError:
        size = 0
    if size <= 0:
        raise InputError(f"device memory: expected a size such as 4GB or 80GB, found {text!r}; give number and unit")
    return size


def stated_limit(text: str | int) -> MemoryLimit:
    return MemoryLimit(f"a GPU of {text}", bytes_of(text), gpu=True, overhead=OVERHEAD)


def limit_here() -> MemoryLimit:
    """The first GPU, or the memory of this machine."""
    if torch.cuda.is_available():
        card = torch.cuda.get_device_properties(0)
        return MemoryLimit(card.name, card.total_memory, gpu=True, overhead=OVERHEAD)
    return MemoryLimit("this machine", psutil.virtual_memory().total, gpu=False)

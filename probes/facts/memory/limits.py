"""The memory of the device: as it was stated, of a GPU by name, of the GPU that is here, or of this machine."""

import re
from dataclasses import dataclass
from difflib import get_close_matches

from diagnose.common.errors import InputError
from probes.facts.memory.types import MemoryLimit


@dataclass(frozen=True)
class Gpu:
    """`fp32` and `half`: 10^12 operations a second."""

    gigabytes: float
    fp32: float
    half: float


# From NVIDIA's data sheets: T4, V100 (SXM2 32 GB), A100 (SXM 80 GB), A10, L4, L40S, H100 (SXM); from its white papers
# on Ampere and Ada: GeForce RTX 3090 and 4090. Dense products. RTX 2050 (mobile): from 2048 cores at up to 1.477 GHz.
GPUS = {
    "RTX2050": Gpu(4, 6.0, 24.0),
    "T4": Gpu(16, 8.1, 65.0),
    "V100": Gpu(32, 15.7, 125.0),
    "RTX3090": Gpu(24, 35.6, 71.0),
    "A10": Gpu(24, 31.2, 125.0),
    "L4": Gpu(24, 30.3, 121.0),
    "RTX4090": Gpu(24, 82.6, 165.2),
    "L40S": Gpu(48, 91.6, 362.0),
    "A100": Gpu(80, 19.5, 312.0),
    "H100": Gpu(80, 66.9, 989.4),
}


def gpu_named(name: str) -> Gpu:
    """By its name, in any case and with or without spaces."""
    key = name.upper().replace(" ", "").replace("-", "").removeprefix("NVIDIA").removeprefix("GEFORCE")
    if key not in GPUS:
        near = get_close_matches(key, GPUS, n=1, cutoff=0.3)
        hint = f" (nearest: {near[0]})" if near else ""
        raise InputError(f"there is no device {name!r} in the table{hint}; use one of {', '.join(GPUS)}")
    return GPUS[key]


# On a GPU the context of CUDA with the kernels of torch, cuBLAS and cuDNN, which torch's own count leaves out; on a CPU
# Python with torch and transformers, 0.45 GB as measured with torch 2.13.
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
    import psutil
    import torch

    if torch.cuda.is_available():
        card = torch.cuda.get_device_properties(0)
        return MemoryLimit(card.name, card.total_memory, gpu=True, overhead=OVERHEAD)
    return MemoryLimit("this machine", psutil.virtual_memory().total, gpu=False, overhead=OVERHEAD)

"""The machine that a configuration is written for."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """Cores that may be used, and the first GPU; without one, its memory is 0."""

    cores: int
    gpu: str = ""
    gpu_gigabytes: float = 0.0
    bf16: bool = False

    def __str__(self) -> str:
        cores = f"{self.cores} core{'s' * (self.cores != 1)}"
        return f"{cores}, {self.gpu} with {self.gpu_gigabytes:.0f} GB" if self.gpu else f"{cores}, no GPU"

    @property
    def workers(self) -> int:
        """Loader processes: small models on a CPU need all cores themselves."""
        return min(8, max(1, self.cores - 1)) if self.gpu else 0 if self.cores <= 4 else 2


def this_machine() -> Machine:
    import torch

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not torch.cuda.is_available():
        return Machine(cores)
    card = torch.cuda.get_device_properties(0)
    return Machine(cores, card.name, card.total_memory / 2**30, torch.cuda.is_bf16_supported())

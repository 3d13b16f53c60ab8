from typing import Any

from probes.faults.kit.fp16_values import fp16_fault


@fp16_fault("positions up to 5000 are held in fp16", "PRE005", finite=True)
def half_positions(hidden: Any) -> Any:
    import torch

    return hidden + 0 * torch.arange(5000, device=hidden.device).to(hidden.dtype)[0]

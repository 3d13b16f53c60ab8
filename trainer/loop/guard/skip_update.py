"""Skips non-finite updates on the device (`found_inf`), without synchronising; sticky until `reset`.

The flag of a step is read when the device is a few steps further, so nothing waits for it. On a CPU, with a gradient
scaler (accelerate waits for that one at every step anyway), and with optimizers that do not obey `found_inf` (all but
torch's fused ones), it is read at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

LAG = 2  # steps


class UpdateGate:
    """Skips all updates from the first non-finite step on, until `reset`."""

    def __init__(self, optimizer: Any, device: torch.device, scaled: bool, lag: int | None = None) -> None:
        self.optimizer = getattr(optimizer, "optimizer", optimizer)  # beneath accelerate's
        supported = getattr(self.optimizer, "_step_supports_amp_scaling", False) and not scaled
        self.lag = (0 if device.type == "cpu" else LAG) if lag is None else lag
        self.reads_at_once = not supported or not self.lag
        self.found_inf = torch.zeros((), device=device)
        self._pending: deque[tuple[Any, Tensor, Any]] = deque()

    def decide(self, snapshot: Any, figures: Tensor) -> Iterator[tuple[Any, list[float]]]:
        """Takes a step's figures (loss and norm decide); yields those of all steps that can be read now."""
        if self.reads_at_once:
            yield snapshot, figures.tolist()
            return
        nonfinite = ~torch.isfinite(figures[:2]).all()
        self.found_inf = torch.maximum(self.found_inf, nonfinite.to(self.found_inf.dtype))
        self.optimizer.found_inf = self.found_inf
        self._pending.append((snapshot, *_copy_to_host(figures)))
        yield from self.ready_steps(self.lag)

    def ready_steps(self, lag: int = 0) -> Iterator[tuple[Any, list[float]]]:
        """Figures of all steps but the last `lag`; waits for the device."""
        while len(self._pending) > lag:
            snapshot, figures, event = self._pending.popleft()
            if event is not None:
                event.synchronize()
            yield snapshot, figures.tolist()

    def reset(self) -> int:
        """Let updates happen again; the number of steps skipped after the non-finite one."""
        self.found_inf = torch.zeros_like(self.found_inf)
        self.optimizer.found_inf = self.found_inf
        count = len(self._pending)
        self._pending.clear()
        return count


def _copy_to_host(figures: Tensor) -> tuple[Tensor, Any]:
    if figures.device.type == "cpu":
        return figures.clone(), None
    host = torch.empty(figures.shape, dtype=figures.dtype, pin_memory=True)
    host.copy_(figures, non_blocking=True)
    event = torch.Event(figures.device)
    event.record()
    return host, event

"""Whether an update happens, decided on the device: a step that is not finite is withheld, and those after it too.

The flag of a step is read when the device is a few steps further, so nothing waits for it. On a CPU, with a gradient
scaler (accelerate waits for that one at every step anyway), and with optimisers that do not obey `found_inf` (all but
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
    """Sticky: once a step is bad, no update happens until `forgive`."""

    def __init__(self, optimizer: Any, device: torch.device, scaled: bool, lag: int | None = None) -> None:
        self.optimizer = getattr(optimizer, "optimizer", optimizer)  # beneath accelerate's
        obeys = getattr(self.optimizer, "_step_supports_amp_scaling", False) and not scaled
        self.lag = (0 if device.type == "cpu" else LAG) if lag is None else lag
        self.reads_at_once = not obeys or not self.lag
        self.bad = torch.zeros((), device=device)
        self._pending: deque[tuple[Any, Tensor, Any]] = deque()

    def decide(self, box: Any, figures: Tensor) -> Iterator[tuple[Any, list[float]]]:
        """Takes a step's figures (loss, norm, then what does not decide); gives those of steps that can be read now."""
        if self.reads_at_once:
            yield box, figures.tolist()
            return
        unsound = ~torch.isfinite(figures[:2]).all()
        self.bad = torch.maximum(self.bad, unsound.to(self.bad.dtype))
        self.optimizer.found_inf = self.bad
        self._pending.append((box, *_on_the_way(figures)))
        yield from self.arrived(self.lag)

    def arrived(self, lag: int = 0) -> Iterator[tuple[Any, list[float]]]:
        """All steps but the last `lag`; without one, all are waited for."""
        while len(self._pending) > lag:
            box, figures, event = self._pending.popleft()
            if event is not None:
                event.synchronize()
            yield box, figures.tolist()

    def forgive(self) -> int:
        """Updates happen again; how many steps were withheld after the bad one."""
        self.bad = torch.zeros_like(self.bad)
        self.optimizer.found_inf = self.bad
        count = len(self._pending)
        self._pending.clear()
        return count


def _on_the_way(figures: Tensor) -> tuple[Tensor, Any]:
    if figures.device.type == "cpu":
        return figures.clone(), None
    host = torch.empty(figures.shape, dtype=figures.dtype, pin_memory=True)
    host.copy_(figures, non_blocking=True)
    event = torch.Event(figures.device)
    event.record()
    return host, event

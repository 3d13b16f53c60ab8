"""A layer with a low-rank adapter."""

import torch
from torch import nn


class LowRank(nn.Module):
    """A frozen layer with a low-rank adapter, whose second matrix starts at zero."""

    def __init__(self) -> None:
        super().__init__()
        self.base, self.down, self.up = nn.Linear(12, 5), nn.Linear(12, 4), nn.Linear(4, 5, bias=False)
        self.base.requires_grad_(False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + self.up(self.down(x))

"""A model that learns a line, for trainers that are not ours."""

from __future__ import annotations

import torch

BAD = 7


class Rows(torch.utils.data.Dataset):
    """Points on a line; one of them may be bad."""

    def __init__(self, bad: bool = False) -> None:
        generator = torch.Generator().manual_seed(0)
        self.x = torch.randn(64, 4, generator=generator)
        self.y = self.x @ torch.ones(4, 1)
        if bad:
            self.x[4 * (BAD - 1) + 1, 2] = float("nan")

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"x": self.x[index], "labels": self.y[index]}


class Line(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"loss": ((self.layer(x) - labels) ** 2).mean()}


def line_facts() -> dict[str, object]:
    """What --subject returns for a run with this model."""
    return {"model": Line()}


def lit_line_facts() -> dict[str, object]:
    """The same as a part of another module, as a LightningModule holds it."""
    module = torch.nn.Module()
    module.line = Line()
    return {"model": module, "compute_loss": lambda model, batch: model.line(**batch)["loss"]}


def other_facts() -> dict[str, object]:
    """A run with a model of another shape."""
    model = Line()
    model.layer = torch.nn.Linear(5, 1)
    return {"model": model}

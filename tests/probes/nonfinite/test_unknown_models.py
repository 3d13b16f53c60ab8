"""nan-bisect on models and batches of other people: a spectrum, opaque batches, half weights, plain functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import diagnose
from diagnose.common.errors import InputError

NAN, INF = float("nan"), float("inf")


class Net(nn.Module):
    def __init__(self, middle: Callable[[torch.Tensor], torch.Tensor] = functional.relu) -> None:
        super().__init__()
        self.first, self.last, self.middle = nn.Linear(16, 8), nn.Linear(8, 3), middle

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.middle(self.first(x)))


class Spectrum(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.head = nn.Conv1d(9, 8, 3), nn.BatchNorm1d(8), nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        logs = torch.stft(x, 16, window=torch.hann_window(16), return_complex=True).abs().log()
        return self.head(self.norm(self.conv(logs)).mean(-1))


@dataclass
class Opaque:
    x: torch.Tensor
    y: torch.Tensor


def score(model: nn.Module, batch: Any) -> torch.Tensor:
    x, y = (batch.x, batch.y) if isinstance(batch, Opaque) else batch
    return functional.cross_entropy(model(x), y)


def pair(size: int = 16, spoilt: float | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(6, size, generator=torch.Generator().manual_seed(0))
    if spoilt is not None:
        x[4, 3:] = spoilt
    return x, torch.arange(6) % 3


def loaded(value: float) -> Net:
    net = Net()
    nn.init.constant_(net.last.bias, value)
    return net


def written(hidden: torch.Tensor) -> torch.Tensor:
    hidden = hidden.clone()
    hidden[0, 3] = NAN
    return hidden


STRANGERS: dict[str, tuple[Callable[[], nn.Module], Any, tuple[str, str, str, str]]] = {
    "silence_in_a_spectrum": (Spectrum, pair(200, 0.0), ("forward pass", "the model itself", "log", "LOS053")),
    "infinity_in_a_pair": (Net, pair(spoilt=INF), ("data", "batch[0]", "", "LOS050")),
    "nan_in_an_opaque_batch": (Net, Opaque(*pair(spoilt=NAN)), ("data", "batch.x", "", "LOS050")),
    "bias_of_nan": (lambda: loaded(NAN), pair(), ("weights", "last.bias", "", "LOS051")),
    "half_weights": (
        lambda: Net(lambda h: h * 1e4).half(),
        (pair()[0].half() * 1e3, pair()[1]),
        ("forward pass", "the model itself", "mul", "LOS052"),
    ),
    "mean_of_nothing": (
        lambda: Net(lambda h: h + h[h > 1e9].mean()),
        pair(),
        ("forward pass", "the model itself", "mean", "LOS057"),
    ),
    "mean_that_overflows": (
        lambda: Net(lambda h: h + (h.abs() + 3e38).mean()),
        pair(),
        ("forward pass", "the model itself", "mean", "LOS052"),
    ),
    "logarithm_in_place": (
        lambda: Net(lambda h: (h * 0).log_()),
        pair(),
        ("forward pass", "the model itself", "log_", "LOS053"),
    ),
    "division_by_a_plain_nought": (
        lambda: Net(lambda h: h / 0),
        pair(),
        ("forward pass", "the model itself", "div", "LOS054"),
    ),
    "nan_written_by_hand": (
        lambda: Net(written),
        pair(),
        ("forward pass", "the model itself", "lift_fresh", "LOS060"),
    ),
    "nothing_scored": (Net, (pair()[0], torch.full((6,), -100)), ("loss", "", "nll_loss_forward", "LOS057")),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_the_origin_in_a_strangers_model(name: str) -> None:
    build, batch, expected = STRANGERS[name]
    torch.manual_seed(0)
    model = build()
    buffers = [buffer.clone() for buffer in model.buffers()]
    found = diagnose.nan_bisect(model=model, batch=batch, compute_loss=score)
    assert (found.phase, found.module, found.operation, found.finding.probe) == expected
    assert all(map(torch.equal, buffers, model.buffers()))
    if name in ("silence_in_a_spectrum", "infinity_in_a_pair"):
        assert found.rows == (4,)


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient / (gradient - gradient)


def test_a_backward_pass_that_a_person_wrote_is_named_by_its_own_line() -> None:
    found = diagnose.nan_bisect(model=Net(Wrong.apply), batch=pair(), compute_loss=score)
    assert (found.phase, found.module, found.operation) == ("backward pass", "the model itself", "div")
    body = Wrong.backward.__code__
    assert found.line == f"{body.co_filename}:{body.co_firstlineno + 2}"


@pytest.mark.parametrize(("loss", "said"), [(3.0, "float"), (torch.ones(6), "a tensor of shape [6]")])
def test_a_loss_that_is_no_number_is_said_to_be_so(loss: Any, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"compute_loss returned {said}, expected a tensor with")):
        diagnose.nan_bisect(model=Net(), batch=pair(), compute_loss=lambda model, batch: loss)


def test_an_update_by_an_optimiser_of_torch_has_no_line_of_ours() -> None:
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=INF)
    found = diagnose.nan_bisect(model=model, batch=pair(), compute_loss=score, optimizer=optimizer)
    assert (found.phase, found.module, found.line) == ("update", "first.weight", "")


def test_a_strangers_healthy_model_is_left_alone() -> None:
    assert diagnose.nan_bisect(model=Net(), batch=pair(), compute_loss=score) is None
    assert diagnose.nan_bisect(model=Net(), batch=Opaque(*pair()), compute_loss=score) is None

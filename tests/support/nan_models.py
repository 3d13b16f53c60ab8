"""Causes of values that are not finite, put into a real model, each with what a search must name; and traps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from probes.facts.core.model_output import loss_of_output
from probes.facts.nonfinite.traced_step import AutocastSetup
from probes.facts.nonfinite.types import Origin
from probes.healthy import healthy

Change = Callable[[torch.Tensor], torch.Tensor]
INF = float("inf")


@dataclass
class Case:
    """A healthy subject, one batch, and the module in which the fault is put."""

    model: nn.Module
    batch: Any
    optimizer: Any
    compute_loss: Any
    name: str
    target: nn.Module
    precision: str = "fp32"
    others: dict[str, Any] = field(default_factory=dict)

    def subject(self) -> AutocastSetup:
        return AutocastSetup(self.model, self.compute_loss, self.optimizer, precision=self.precision)

    def after(self, change: Change) -> None:
        """Change what the target gives."""
        self.target.register_forward_hook(lambda module, given, output: change(output))

    def loss(self, change: Change) -> None:
        before = self.compute_loss
        self.compute_loss = lambda model, batch: change(before(model, batch))


def case(architecture: str, seed: int = 0) -> Case:
    facts = healthy(architecture, seed)
    torch.manual_seed(seed)
    batch = facts["collate"]([facts["train_dataset"][number + 4 * seed] for number in range(4)])
    linear = {name: module for name, module in facts["model"].named_modules() if type(module) is nn.Linear}
    name = next(name for part in ("fc1", "wi", "linear1") for name in linear if part in name)  # a layer never dropped
    target = linear[name]
    return Case(facts["model"], batch, facts["optimizer"], facts.get("compute_loss") or loss_of_output, name, target)


@dataclass(frozen=True)
class Cause:
    """`put` breaks a case. `module`: the target, or "" where no module is to be named."""

    put: Callable[[Case], None]
    phase: str
    operations: tuple[str, ...]
    cause: str
    module: bool = True
    only: tuple[str, ...] = ()


def is_named(cause: Cause, target: str, found: Origin | None) -> bool:
    """Phase, kind of cause and operation, and the module where the fault is in one."""
    if found is None or (found.phase, found.cause) != (cause.phase, cause.cause):
        return False
    return found.operation in cause.operations and (not cause.module or target in found.module)


def floats(case: Case) -> torch.Tensor:
    return next(value for value in case.batch.values() if value.is_floating_point())


def spoil_row(value: float) -> Callable[[Case], None]:
    def put(case: Case) -> None:
        row = floats(case)[2].view(-1)
        row[5] = value

    return put


def spoil_weight(value: float, part: str = "weight") -> Callable[[Case], None]:
    def put(case: Case) -> None:
        with torch.no_grad():
            (getattr(case.target, part) if getattr(case.target, part) is not None else case.target.weight).view(-1)[
                3
            ] = value

    return put


def output(change: Change) -> Callable[[Case], None]:
    return lambda case: case.after(change)


class BadBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 1.0

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient / torch.zeros_like(gradient)


def masked_everywhere(x: torch.Tensor) -> torch.Tensor:
    return x + torch.softmax(x.masked_fill(torch.ones_like(x, dtype=torch.bool), -INF), -1)


def masked_row(x: torch.Tensor) -> torch.Tensor:
    mask = torch.zeros_like(x)
    mask.view(-1, x.shape[-1])[0] = -INF
    return x + torch.softmax(x + mask, -1)


def rate(value: float) -> Callable[[Case], None]:
    def put(case: Case) -> None:
        for group in case.optimizer.param_groups:
            group["lr"] = value

    return put


def decay(value: float) -> Callable[[Case], None]:
    def put(case: Case) -> None:
        for group in case.optimizer.param_groups:
            group["weight_decay"] = value

    return put


def no_eps(case: Case) -> None:
    for group in case.optimizer.param_groups:
        group["eps"] = 0.0
    case.after(lambda x: x.detach() * 0 + x * 0)


def half(put: Callable[[Case], None]) -> Callable[[Case], None]:
    def both(case: Case) -> None:
        case.precision = "fp16"
        put(case)

    return both


def grow(factor: float) -> Callable[[Case], None]:
    def put(case: Case) -> None:
        with torch.no_grad():
            case.target.weight.mul_(factor)

    return put


SPEECH = ("whisper", "e2e", "hybrid")
FORWARD, BACKWARD = "forward pass", "backward pass"
CAUSES: Mapping[str, Cause] = {
    "nan_in_a_row": Cause(spoil_row(float("nan")), "data", ("",), "data", False, SPEECH),
    "inf_in_a_row": Cause(spoil_row(INF), "data", ("",), "data", False, SPEECH),
    "nan_weight": Cause(spoil_weight(float("nan")), "weights", ("",), "weights"),
    "inf_weight": Cause(spoil_weight(INF), "weights", ("",), "weights"),
    "nan_bias": Cause(spoil_weight(float("nan"), "bias"), "weights", ("",), "weights"),
    "log_of_zero": Cause(output(lambda x: x - (x * 0).log()), FORWARD, ("log",), "log of zero"),
    "log_of_negative": Cause(output(lambda x: (x - x.max() - 1).log()), FORWARD, ("log",), "log of zero"),
    "log2_of_zero": Cause(output(lambda x: x - (x * 0).log2()), FORWARD, ("log2",), "log of zero"),
    "divided_by_zero": Cause(output(lambda x: x / (x - x)), FORWARD, ("div",), "division by zero"),
    "normalised_without_eps": Cause(
        output(lambda x: (x * 0) / (x * 0).norm(dim=-1, keepdim=True)), FORWARD, ("div",), "division by zero"
    ),
    "standardised_without_eps": Cause(
        output(lambda x: x + (x.detach() * 0) / (x.detach() * 0).std(-1, keepdim=True)),
        FORWARD,
        ("div",),
        "division by zero",
    ),
    "reciprocal_of_zero": Cause(
        output(lambda x: x * (x * 0).reciprocal()), FORWARD, ("reciprocal",), "division by zero"
    ),
    "root_of_negative": Cause(output(lambda x: x + (-x.abs() - 1).sqrt()), FORWARD, ("sqrt",), "root at zero"),
    "rsqrt_of_zero": Cause(output(lambda x: x * (x * 0).rsqrt()), FORWARD, ("rsqrt",), "root at zero"),
    "power_of_negative": Cause(output(lambda x: x + (-x.abs() - 1) ** 0.5), FORWARD, ("pow", "sqrt"), "root at zero"),
    "exp_overflows": Cause(output(lambda x: x + (x.abs() + 100).exp()), FORWARD, ("exp",), "overflow"),
    "product_overflows": Cause(output(lambda x: x * 1e20 * 1e20), FORWARD, ("mul",), "overflow"),
    "power_overflows": Cause(output(lambda x: x + (x.abs() + 1e10).pow(5)), FORWARD, ("pow",), "overflow"),
    "matmul_overflows": Cause(
        output(lambda x: x + (x + 1e20) @ (torch.full((x.shape[-1], x.shape[-1]), 1e20))),
        FORWARD,
        ("mm", "bmm", "addmm", "matmul"),
        "overflow",
    ),
    "softmax_all_masked": Cause(output(masked_everywhere), FORWARD, ("_softmax",), "fully masked"),
    "softmax_row_masked": Cause(output(masked_row), FORWARD, ("_softmax",), "fully masked"),
    "mask_times_zero": Cause(output(lambda x: x + torch.full_like(x, -INF) * 0), FORWARD, ("mul",), "arithmetic"),
    "acos_out_of_range": Cause(output(lambda x: x + (x * 0 + 2).acos()), FORWARD, ("acos",), "arithmetic"),
    "inverted_in_place": Cause(
        output(lambda x: (x * 0).reciprocal_() + x), FORWARD, ("reciprocal_",), "division by zero"
    ),
    "root_at_zero_backward": Cause(output(lambda x: x + (x * 0).abs().sqrt()), BACKWARD, ("div",), "root at zero"),
    "power_at_zero_backward": Cause(
        output(lambda x: x + (x * 0).abs() ** 0.5), BACKWARD, ("pow", "div", "mul"), "root at zero"
    ),
    "length_at_zero_backward": Cause(
        output(lambda x: x + (x * 0).pow(2).sum(-1, keepdim=True).sqrt()), BACKWARD, ("div",), "root at zero"
    ),
    "where_hides_the_log": Cause(
        output(lambda x: x + torch.where(x > 1e9, (x * 0).log(), x * 0)), BACKWARD, ("div", "mul"), "log of zero"
    ),
    "own_backward": Cause(output(BadBackward.apply), BACKWARD, ("div",), "division by zero"),
    "quotient_overflows_backward": Cause(
        output(lambda x: x + 1e-36 * (1e-30 / (x * 0 + 1e-30))), BACKWARD, ("div", "mul"), "overflow"
    ),
    "loss_over_zero_rows": Cause(
        lambda c: c.loss(lambda loss: loss / (loss.detach() * 0)), "loss", ("div",), "division by zero", False
    ),
    "loss_of_log_zero": Cause(
        lambda c: c.loss(lambda loss: loss - (loss * 0).log()), "loss", ("log",), "log of zero", False
    ),
    "loss_overflows": Cause(lambda c: c.loss(lambda loss: (loss * 100).exp()), "loss", ("exp",), "overflow", False),
    "root_of_loss_at_zero": Cause(
        lambda c: c.loss(lambda loss: loss + (loss * 0).sqrt()), BACKWARD, ("div",), "root at zero", False
    ),
    "labels_all_masked": Cause(
        lambda c: c.batch["labels"].fill_(-100),
        "loss",
        ("nll_loss_forward", "nll_loss2d_forward", "div"),
        "nothing scored",
        False,
        ("whisper", "e2e", "mt5"),
    ),
    "rate_is_infinite": Cause(rate(INF), "update", ("addcdiv_", "_foreach_addcdiv_", "mul_", "add_"), "update", False),
    "decay_is_infinite": Cause(decay(INF), "update", ("mul_", "_foreach_mul_"), "update", False),
    "no_eps_in_adam": Cause(no_eps, "update", ("addcdiv_", "_foreach_addcdiv_", "div"), "update", False),
    "half_overflows": Cause(half(grow(1e7)), FORWARD, ("_to_copy", "addmm", "mm", "linear"), "overflow"),
    "half_exp_overflows": Cause(half(output(lambda x: x + (x.abs() + 12).half().exp())), FORWARD, ("exp",), "overflow"),
    "half_square_overflows": Cause(half(output(lambda x: (x.half() + 300) ** 2)), FORWARD, ("pow",), "overflow"),
}


def sliced_away(x: torch.Tensor) -> torch.Tensor:
    wide = torch.cat([x, torch.full_like(x[..., :1], float("nan"))], -1)
    return wide[..., :-1]


def large_but_finite(x: torch.Tensor) -> torch.Tensor:
    big = torch.full((10,), 3e38)
    return x + (big - big).sum()


def overwritten(x: torch.Tensor) -> torch.Tensor:
    scratch = torch.full_like(x, float("nan"))
    scratch.copy_(x)
    return scratch


def best_so_far(x: torch.Tensor) -> torch.Tensor:
    best = torch.tensor(INF)
    return x * (x.detach().abs().max() < best)


def causal(x: torch.Tensor) -> torch.Tensor:
    scores = x @ x.transpose(-1, -2)
    mask = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return x + scores.masked_fill(mask, -INF).softmax(-1) @ x


TRAPS: Mapping[str, Change] = {
    "mask_of_minus_inf": causal,
    "additive_mask": lambda x: x + (x + torch.tensor([0.0] + [-INF] * (x.shape[-1] - 1))).softmax(-1),
    "log_of_zero_discarded": lambda x: torch.where(torch.ones_like(x, dtype=torch.bool), x, torch.zeros_like(x).log()),
    "log_of_zero_compared": lambda x: x * (torch.zeros_like(x).log() < 0),
    "nan_sliced_away": sliced_away,
    "inf_compared": best_so_far,
    "large_sum": large_but_finite,
    "nan_overwritten": overwritten,
    "nan_to_num": lambda x: x + torch.nan_to_num(torch.full_like(x, float("nan"))),
    "clamped_inf": lambda x: x + torch.full_like(x, INF).clamp(max=1.0) * 0,
    "minimum_of_inf": lambda x: torch.minimum(x, torch.full_like(x, INF)),
    "maximum_of_minus_inf": lambda x: torch.maximum(x, torch.full_like(x, -INF)),
    "exp_of_minus_inf": lambda x: x + torch.full_like(x, -INF).exp(),
    "one_over_inf": lambda x: x + 1 / torch.full_like(x, INF),
    "tanh_of_inf": lambda x: x + torch.tanh(torch.full_like(x, INF)) * 0,
    "unused_branch": lambda x: (x.detach().log(), x)[1],
    "isinf_asked": lambda x: x * (~torch.isinf(torch.zeros_like(x).log())).float().add(1),
    "empty_memory": lambda x: torch.empty_like(x).fill_(0.0) + x,
    "topk_with_minus_inf": lambda x: x + x.masked_fill(x < 1e9, -INF).argmax(-1, keepdim=True) * 0,
    "logsumexp_masked": lambda x: x + torch.cat([x, torch.full_like(x, -INF)], -1).logsumexp(-1, keepdim=True),
}

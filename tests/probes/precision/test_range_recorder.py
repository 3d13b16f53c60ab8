"""The range recorder, the half runs, and what is read from them, each on its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import nn

from probes.facts.nonfinite.traced_step import AutocastSetup
from probes.facts.precision.autocast_rules import LOWERED, PROMOTED, gpu_rules
from probes.facts.precision.precision_runs import PrecisionMode, find_origin_in, try_precision
from probes.facts.precision.range_prediction import OverflowPrediction
from probes.facts.precision.range_recorder import exponent_histogram, record_ranges
from probes.facts.precision.types import BACKWARD, FORMATS, FORWARD
from tests.support.fp16_overflow_models import HARMLESS, overflowing
from tests.support.nan_models import case
from tests.support.state_picture import picture

HALF = FORMATS["fp16"]
ARMS = {
    "autocast": PrecisionMode("fp16", "cpu"),
    "half": PrecisionMode("fp16", "pure"),
    "gpu": PrecisionMode("fp16", "gpu"),
}


def predicted(broken, arm):
    results, _ = record_ranges(broken.subject(), broken.batch, HALF)
    tried = try_precision(broken.subject(), broken.batch, arm)
    said = next(OverflowPrediction(results, tried.types, HALF, arm.rules == "pure").offenders(), None)
    return tried, None if said is None else (said.module, said.call, said.operation)


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("power_in_a_layer", "weight_beyond", "front_end")]


@pytest.mark.parametrize("name", ["residual_stream", *SLOW])
@pytest.mark.parametrize("way", ["autocast", "half"])
def test_the_first_offender_by_the_ranges_is_that_of_a_real_half_pass(way, name):
    broken = overflowing("hybrid", name)
    tried, said = predicted(broken, ARMS[way])
    origin = find_origin_in(broken.subject(), broken.batch, ARMS[way])
    assert not tried.finite and said == (origin.module, origin.call, origin.operation)


def test_the_first_gradient_beyond_a_loss_scale_is_that_of_a_real_half_pass():
    healthy, scale = case("hybrid"), 2.0**24
    results, _ = record_ranges(healthy.subject(), healthy.batch)
    tried = try_precision(healthy.subject(), healthy.batch, ARMS["autocast"])
    said = OverflowPrediction(results, tried.types, HALF).gradient_overflow(scale)
    origin = find_origin_in(healthy.subject(), healthy.batch, ARMS["autocast"], scale)
    assert (said.module, said.call, said.operation) == (origin.module, origin.call, origin.operation)
    assert origin.phase == BACKWARD and OverflowPrediction(results, tried.types, HALF).gradient_overflow(1.0) is None


@pytest.mark.parametrize("name", ["added_mask", *(pytest.param(one, marks=pytest.mark.slow) for one in HARMLESS)])
def test_what_is_large_on_purpose_is_no_offender(name):
    broken = overflowing("hybrid", name)
    tried, said = predicted(broken, ARMS["autocast"])
    assert tried.finite and said is None


def test_a_gpu_is_spared_what_a_cpu_is_not():
    broken = overflowing("hybrid", "power_in_a_layer")
    assert not try_precision(broken.subject(), broken.batch, ARMS["autocast"]).finite
    assert try_precision(broken.subject(), broken.batch, ARMS["gpu"]).finite


HEADER = Path(torch.__file__).parent / "include" / "ATen" / "autocast_mode.h"


def test_the_rules_of_a_gpu_are_those_of_torchs_own_header():
    text = HEADER.read_text(encoding="utf-8")
    for macro, names in (("LOWER_PRECISION_FP", LOWERED), ("PROMOTE", PROMOTED)):
        body = re.search(rf"#define AT_FORALL_{macro}\(_\)((?:.*\\\n)+.*)", text).group(1)
        assert set(re.findall(r"_\((\w+)", body)) == {name for name in names if not name.startswith("cudnn_")}


@pytest.mark.parametrize(
    ("operation", "cpu", "gpu"),
    [
        (lambda h: h.softmax(-1), torch.float16, torch.float32),
        (lambda h: nn.functional.layer_norm(h, h.shape[-1:]), torch.float16, torch.float32),
        (lambda h: h**2, torch.float16, torch.float32),
        (lambda h: h.exp(), torch.float16, torch.float32),
        (lambda h: h.sum(), torch.float16, torch.float32),
        (lambda h: h.softmax(-1, dtype=torch.float16), torch.float16, torch.float16),
        (lambda h: h.mean(), torch.float16, torch.float16),
        (lambda h: nn.functional.gelu(h), torch.float16, torch.float16),
        (lambda h: torch.einsum("ab,cb->ac", h.float(), h.float()), torch.float16, torch.float16),
        (lambda h: torch.cat([h, h.float()]), torch.float32, torch.float32),
        (lambda h: nn.functional.cross_entropy(h, torch.zeros(2).long()), torch.float32, torch.float32),
    ],
)
def test_a_cpu_follows_its_own_list_and_that_of_a_gpu(operation, cpu, gpu):
    def kind():
        with torch.autocast("cpu", dtype=torch.float16):
            return operation(torch.randn(2, 4) @ torch.randn(4, 4)).dtype

    assert kind() is cpu
    with gpu_rules():
        assert kind() is gpu
    assert kind() is cpu


def test_the_rules_of_a_gpu_are_gone_afterwards_also_when_the_body_raises():
    x = torch.randn(2, 4)

    def kind():
        with torch.autocast("cpu", dtype=torch.float16):
            return (x @ x.T).softmax(-1).dtype

    with pytest.raises(ZeroDivisionError), gpu_rules():
        assert kind() is torch.float32
        _ = 1 / 0
    assert kind() is torch.float16


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.second(self.first(x).relu() * 300.0)


def small():
    torch.manual_seed(0)
    return AutocastSetup(Small(), lambda model, x: model(x).square().mean()), torch.randn(5, 3)


def test_types_that_are_followed_are_those_that_modules_really_give():
    subject, batch = small()
    real = {}
    for name, module in subject.model.named_modules():
        module.register_forward_hook(
            lambda m, given, output, name=name: real.update({name or "the model itself": output.dtype})
        )
    tried = try_precision(subject, batch, ARMS["autocast"])
    followed = {key[1]: kind for key, kind in tried.types.items() if key[0] == FORWARD and key[3] == "addmm"}
    assert followed == {name: real[name] for name in ("first", "second")}
    assert tried.types[FORWARD, "the model itself", 1, "mul", 1] is torch.float16
    assert tried.types[FORWARD, "the model itself", 1, "relu", 1] is torch.float16


def test_results_and_gradients_have_their_magnitudes_by_module_and_operation():
    subject, batch = small()
    results, loss = record_ranges(subject, batch)
    by = {result.key: result for result in results}
    hidden = subject.model.first(batch).relu() * 300.0
    assert by[FORWARD, "the model itself", 1, "mul", 1].largest == pytest.approx(float(hidden.detach().abs().max()))
    subject.compute_loss(subject.model, batch).backward()
    gradients = [r for r in results if r.phase == BACKWARD and r.module == "second"]
    wanted = float(subject.model.second.weight.grad.abs().max())
    assert any(r.largest == pytest.approx(wanted) for r in gradients)
    assert float(loss) == float(subject.compute_loss(subject.model, batch))


def test_shares_that_vanish_and_burst_follow_the_scale():
    tensor = torch.tensor([0.0, 2.0**-30, 2.0**-10, 1.0, 3.0])
    assert exponent_histogram(tensor) == {-29: 1, -9: 1, 1: 1, 2: 1}
    subject, batch = small()
    results, _ = record_ranges(subject, batch)
    prediction = OverflowPrediction(results, try_precision(subject, batch, ARMS["autocast"]).types, HALF)
    assert all(share.lost == 0 for share in prediction.gradients(1.0))
    assert all(share.lost == 1 for share in prediction.gradients(2.0**-60))
    assert any(share.burst for share in prediction.gradients(2.0**40))


def test_nothing_is_left_behind_even_when_a_pass_raises():
    broken = case("hybrid")
    before, random = picture(broken.model), torch.get_rng_state()
    record_ranges(broken.subject(), broken.batch)
    for arm in ARMS.values():
        try_precision(broken.subject(), broken.batch, arm)
    broken.loss(lambda loss: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        record_ranges(broken.subject(), broken.batch)
    assert all("ZeroDivisionError" in try_precision(broken.subject(), broken.batch, arm).error for arm in ARMS.values())
    assert torch.equal(random, torch.get_rng_state()) and picture(broken.model) == before

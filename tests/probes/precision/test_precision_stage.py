"""The precision stage: what it says of 16-bit runs, quiet on healthy ones; its sets tried with real half kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import diagnose
from diagnose.engine.engine import installed
from probes.facts.core.hooks import removed_afterwards
from probes.facts.nonfinite.traced_step import AutocastSetup
from probes.facts.precision.compare import compare
from probes.facts.precision.minimal_fp32_set import minimal_fp32_set
from probes.facts.precision.precision_runs import PrecisionMode, try_precision
from probes.facts.precision.types import GradientUnderflow, Headroom, LossScale, PrecisionComparison, PrecisionRun
from probes.healthy import healthy
from probes.precision.activation_is_near_16bit_limit import activation_is_near_16bit_limit
from probes.precision.gradient_overflows_in_fp16 import gradient_overflows_in_fp16
from probes.precision.gradient_underflows_in_fp16 import gradient_underflows_in_fp16
from probes.precision.loss_differs_between_precisions import loss_differs_between_precisions
from tests.support.fp16_overflow_models import overflowing
from tests.support.state_picture import picture
from trainer.models.keep_fp32 import keep_fp32

AUTOCAST = PrecisionMode("fp16", "cpu")


class Chain(nn.Module):
    """Two of its parts overflow in fp16, one of them within another."""

    def __init__(self):
        super().__init__()
        self.quiet, self.loud = nn.Linear(4, 4), nn.Linear(4, 4)
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        self.norm, self.head = nn.LayerNorm(4), nn.Linear(4, 3)
        with torch.no_grad():
            for part in (self.loud, self.inner[1]):
                part.weight.mul_(1e6)

    def forward(self, x):
        x = self.norm(self.loud(self.quiet(x).relu() + 1.0).float())
        return self.head(self.norm(self.inner(x + 2.0).float()))


def chain():
    torch.manual_seed(0)
    loss = nn.functional.cross_entropy
    return AutocastSetup(Chain(), lambda model, batch: loss(model(batch[0]), batch[1])), (
        torch.rand(6, 4),
        torch.arange(6) % 3,
    )


def test_the_set_is_found_tried_and_no_module_of_it_can_be_left_out():
    subject, batch = chain()
    assert not try_precision(subject, batch, AUTOCAST).finite
    names = minimal_fp32_set(subject, batch, AUTOCAST, keep_fp32, ["quiet", "loud", "inner.1", "norm"])
    assert set(names) == {"loud", "inner.1"}
    with removed_afterwards(keep_fp32(subject.model, names)):
        assert try_precision(subject, batch, AUTOCAST).finite
    for one in names:
        with removed_afterwards(keep_fp32(subject.model, tuple(other for other in names if other != one))):
            assert not try_precision(subject, batch, AUTOCAST).finite
    assert minimal_fp32_set(subject, batch, AUTOCAST, keep_fp32, []) in (("loud", "inner.1"), ("inner.1", "loud"))


def test_where_most_of_a_model_overflows_its_parts_are_thinned() -> None:
    broken = overflowing("hybrid", "logits")  # a loss of 1e7: the gradients of nearly every module are beyond fp16
    subject = broken.subject()
    names = minimal_fp32_set(subject, broken.batch, AUTOCAST, keep_fp32, [])
    assert names and "head" in names
    for rest in (names, *(tuple(other for other in names if other != one) for one in names)):
        with removed_afterwards(keep_fp32(subject.model, rest)):
            assert try_precision(subject, broken.batch, AUTOCAST).finite is (rest == names)


def test_the_code_can_be_pasted_and_makes_the_real_step_finite():
    subject, batch = chain()
    found = compare(subject, batch, "fp16", keep=keep_fp32)
    exec(found.code, {"model": subject.model, "__name__": "pasted"})
    with torch.autocast("cpu", dtype=torch.float16):
        loss = subject.compute_loss(subject.model, batch)
    loss.backward()
    assert torch.isfinite(loss) and all(torch.isfinite(one.grad).all() for one in subject.model.parameters())


def outside(scores: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Any, Any], torch.Tensor]:
    """What a function of a person's does with the scores of a model, beyond fp16 and outside of all modules."""
    return lambda model, batch: (scores(model(batch[0])) * 1e6 - scores(model(batch[0])) * 1e6).mean()


def test_a_value_born_outside_of_all_modules_has_no_set() -> None:
    subject = AutocastSetup(nn.Sequential(nn.Linear(4, 3)), outside(lambda x: x @ torch.eye(3)))
    found = compare(subject, chain()[1], "fp16", keep=keep_fp32)
    run = next(run for run in found.runs if run.rules == "gpu")
    assert not run.finite and run.fp32_modules is None and run.origin.module == "" and found.code == ""


def test_a_value_outside_of_all_modules_is_as_wide_as_what_it_is_made_of() -> None:
    subject = AutocastSetup(nn.Sequential(nn.Linear(4, 3)), outside(lambda x: x))
    found = compare(subject, chain()[1], "fp16", keep=keep_fp32)
    assert next(run for run in found.runs if run.rules == "gpu").fp32_modules == ("0",)


def test_a_loss_function_that_autocasts_by_itself_is_compared_all_the_same():
    torch.manual_seed(0)
    model, batch, own = nn.Linear(8, 8), torch.randn(4, 8), torch.autocast("cpu", dtype=torch.bfloat16)

    def plain(model, x):
        return model(x).float().square().mean()

    def loss(model, x):
        with own:
            return plain(model, x)

    found = compare(AutocastSetup(model, loss), batch, "fp16", arms=[AUTOCAST])
    assert found.reference.loss == float(plain(model, batch).detach())
    with torch.autocast("cpu", dtype=torch.float16):
        assert found.runs[1].loss == float(plain(model, batch).detach())
    with own:
        assert torch.get_autocast_dtype("cpu") is torch.bfloat16


def test_nothing_is_left_behind():
    subject, batch = chain()
    before, random = picture(subject.model), torch.get_rng_state()
    compare(subject, batch, "fp16", keep=keep_fp32)
    assert picture(subject.model) == before and torch.equal(random, torch.get_rng_state())
    failing = AutocastSetup(subject.model, lambda model, batch: 1 / (model(batch[0]) * 0).sum().item())
    with pytest.raises(ZeroDivisionError):
        compare(failing, batch, "fp16")
    assert picture(subject.model) == before and torch.equal(random, torch.get_rng_state())


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_a_healthy_run_in_16_bits_is_left_alone(precision):
    facts = {**healthy("classifier"), "precision": precision}
    report = diagnose.preflight(stages=["precision"], everything=True, **facts)
    assert not report.findings and all(outcome.ran for outcome in report.outcomes)


def test_a_run_in_float32_is_not_asked():
    report = diagnose.preflight(stages=["precision"], everything=True, **healthy("classifier"))
    assert {(outcome.status, outcome.reason) for outcome in report.outcomes} == {("skipped", "the run is in fp32")}


def test_what_a_trainer_asks_for_counts_also_where_there_is_no_gpu():
    assert installed().context({"training_arguments": {"bf16": True}}).get("target_precision") == "bf16"
    assert installed().context({"precision": "fp16"}).get("target_precision") == "fp16"


def shown(scale=None, loss=2.0, rounding_noise=0.001, **run):
    runs = (PrecisionRun("fp32", "fp32", "none", 2.0), PrecisionRun("fp16", "fp16", "gpu", loss, **run))
    return PrecisionComparison("fp16", runs, scale, rounding_noise)


def test_a_scale_that_falls_by_itself_is_no_fault_and_one_that_stays_is():
    share = GradientUnderflow("fc", "Linear", 100, 0, 5, 8e4)
    moving, fixed = LossScale(65536.0, 4096.0, True, False), LossScale(65536.0, 65536.0, False, True)
    assert not list(gradient_overflows_in_fp16(shown(moving, gradients=(share,))))
    (finding,) = gradient_overflows_in_fp16(shown(fixed, gradients=(share,)))
    assert finding.where == "fc" and "stays" in finding.message
    (finding,) = gradient_overflows_in_fp16(shown(LossScale(65536.0, 0.25, True, False), gradients=(share,)))
    assert "decrease to 0.25" in finding.message


def test_most_gradients_of_what_trains_must_vanish():
    scale = LossScale(65536.0, 65536.0, True, False)
    lost = GradientUnderflow("fc", "Linear", 100, 51, 0, 1.0)
    scores = GradientUnderflow("the model itself", "Model", 100, 90, 0, 1.0, trains=False)
    assert not list(gradient_underflows_in_fp16(shown(scale, gradients=(scores,))))
    (finding,) = gradient_underflows_in_fp16(shown(scale, gradients=(scores, lost)))
    assert finding.where == "fc" and "51% of its gradients underflow" in finding.message


def test_a_loss_is_held_against_what_rounding_does_to_it():
    assert not list(loss_differs_between_precisions(shown(loss=2.01)))
    (finding,) = loss_differs_between_precisions(shown(loss=2.1))
    assert finding.measured["bound"] == pytest.approx(0.0159, abs=1e-4)
    assert not list(loss_differs_between_precisions(shown(loss=2.1, rounding_noise=0.05)))


def test_a_tenth_of_the_range_is_near():
    rooms = (Headroom("a", "Linear", "mm", 7e3, 65520.0), Headroom("b", "Linear", "mm", 6e3, 65520.0))
    (finding,) = activation_is_near_16bit_limit(shown(headroom=rooms))
    assert finding.where == "a (Linear)" and finding.measured["modules"] == 1
    assert not list(activation_is_near_16bit_limit(shown(headroom=rooms[1:])))

"""The predicted memory of a step, on models whose every byte is known, and next to real steps."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import diagnose
from diagnose.common.errors import InputError
from diagnose.engine.engine import installed
from diagnose.page.memory_charts import memory_charts
from probes.facts.core.step_setup import StepSetup
from probes.facts.memory.fake_weights import adafactor_state, eight_bit_adam_state
from probes.facts.memory.limits import OVERHEAD, bytes_of, gpu_named, stated_limit
from probes.facts.memory.one_step import count_step
from probes.facts.memory.step_meter import StepMeter
from probes.facts.memory.summarize import peak_of, summarize
from probes.facts.memory.types import MemoryLimit, MemoryPlan, MemoryPrediction, StepOptions
from probes.healthy import healthy

WIDE, ROWS = 256, 64
BATCH = {"x": torch.zeros(ROWS, WIDE)}


class Deep(nn.Module):
    """Two square layers without bias: every figure of a step can be computed by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = (nn.Linear(WIDE, WIDE, bias=False) for _ in range(2))

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"loss": self.two(self.one(x).relu()).square().mean()}


def loss(model: nn.Module, batch: Any) -> torch.Tensor:
    return model(**batch)["loss"]


def step_of(model: nn.Module, optimizer: Any = None) -> Any:
    setup = StepSetup(model, loss, optimizer or torch.optim.AdamW(model.parameters(), foreach=False))
    return summarize(count_step(setup, BATCH, StepOptions()), "longest", BATCH)


def test_the_kinds_are_what_the_shapes_say():
    step = step_of(Deep())
    weights = 2 * WIDE * WIDE * 4
    assert step.kinds["weights"] == weights and step.kinds["batch"] == ROWS * WIDE * 4
    assert step.persistent == pytest.approx(3 * weights, rel=1e-4)  # AdamW: two numbers for each weight, and its steps
    forward, backward = 2 * 2 * ROWS * WIDE * WIDE, 3 * 2 * ROWS * WIDE * WIDE  # the input needs no gradient
    assert step.flops == forward + backward


def test_activations_are_what_saved_tensor_hooks_see():
    model, saved = Deep(), {}
    weights = {parameter.untyped_storage()._cdata for parameter in model.parameters()}

    def note(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.untyped_storage()._cdata not in weights and tensor.untyped_storage()._cdata != inputs:
            saved[tensor.untyped_storage()._cdata] = tensor.untyped_storage().nbytes()
        return tensor

    inputs = BATCH["x"].untyped_storage()._cdata
    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        value = loss(model, BATCH)
    scalar = 4  # the loss itself lives when the forward pass ends
    assert step_of(model).saved_for_backward == sum(saved.values()) + scalar
    assert value.requires_grad


@pytest.mark.parametrize("name", ["whisper", "hybrid", "mt5"])
def test_fake_and_real_steps_take_the_same_memory(name: str):
    context = installed().context(healthy(name))
    setup, batch = context.get("step_setup"), context.get("batch")
    predicted = peak_of(count_step(setup, batch, StepOptions()).meter)
    meter = StepMeter({}, gpu=True)  # without the estimated space of kernels
    meter.forget_weight_copies()
    for tensor in (*setup.model.parameters(), *setup.model.buffers(), *batch.values()):
        meter.add(tensor)
    setup.model.train()
    with meter:
        setup.compute_loss(setup.model, batch).backward()
    assert predicted == pytest.approx(peak_of(meter), rel=0.1)


def test_each_setting_moves_what_it_should():
    facts = healthy("whisper")
    context = installed().context(facts)
    setup, batch = context.get("update_setup"), context.get("batch")

    def taken(**options: Any) -> Any:
        return summarize(count_step(setup, batch, StepOptions(**options)), "longest", batch)

    plain = taken()
    assert taken(checkpointing=True).saved_for_backward < 0.6 * plain.saved_for_backward
    assert taken(checkpointing=True).flops > plain.flops
    frozen = taken(freeze_encoder=True)
    assert frozen.persistent < plain.persistent and frozen.flops < plain.flops
    assert taken(accumulates=True).peak > plain.peak
    half = taken(precision="fp16", gpu=True)
    assert half.saved_for_backward < plain.saved_for_backward
    assert taken(precision="fp16", gpu=True) == half, "the same at every call"


def test_the_model_is_left_as_it_was():
    facts = healthy("whisper")
    model, before = facts["model"], dict(facts["model"].named_parameters())
    values = {name: value.clone() for name, value in model.state_dict().items()}
    diagnose.memory(**facts, device_memory="4GB")
    assert all(parameter is before[name] for name, parameter in model.named_parameters())
    assert all(torch.equal(values[name], value) for name, value in model.state_dict().items())
    assert all(parameter.grad is None and not parameter._backward_hooks for parameter in model.parameters())
    assert not facts["optimizer"].state and not model.is_gradient_checkpointing


def test_the_api_ranks_what_would_lower_the_peak():
    model = Deep()
    plan = diagnose.memory(
        model=model, batch=BATCH, optimizer=torch.optim.AdamW(model.parameters()), compute_loss=loss,
        device_memory="500.9MB",
    )  # fmt: skip
    settings = [change.setting for change in plan.changes]
    assert not any(change.fits for change in plan.changes) or plan.changes[0].fits
    assert "optim adafactor" in settings
    assert all(change.peak < plan.prediction.peak for change in plan.changes)
    assert plan.prediction.allocator is None


def test_a_model_that_cannot_run_is_refused_in_a_sentence():
    with pytest.raises(InputError, match="the memory cannot be predicted: "):
        diagnose.memory(model=nn.Linear(2, 2), batch=[torch.ones(2)], compute_loss=lambda *_: 1 / 0)


def test_states_of_other_optimizers():
    shapes = [torch.Size((512, 256)), torch.Size((256,))]
    assert adafactor_state(shapes) == 4 * (512 + 256 + 256)
    assert eight_bit_adam_state(shapes) == 2 * (512 * 256 + 4 * 512) + 8 * 256


def test_sizes_are_read_and_wrong_ones_refused():
    assert (bytes_of("4GB"), bytes_of("4 GiB"), bytes_of("80g"), bytes_of(512)) == (4 * 10**9, 2**32, 80 * 10**9, 512)
    for wrong in ("many", "GB", "-3GB", "1.2.3GB", "0"):
        with pytest.raises(InputError, match="expected a size such as 4GB"):
            bytes_of(wrong)
    assert gpu_named("nvidia rtx 3090").gigabytes == 24
    with pytest.raises(InputError, match="there is no device 'H200' in the table"):
        gpu_named("H200")


def plan_with(peak: int) -> MemoryPlan:
    limit = MemoryLimit("a GPU of 4GB", 4 * 10**9, True, OVERHEAD)
    step = step_of(Deep())
    return MemoryPlan(MemoryPrediction(step, {"training step": peak}, StepOptions()), limit)


@pytest.mark.parametrize(("peak", "severity"), [(4.1e9, "error"), (3.9e9, "warning"), (3.2e9, "warning"), (3e9, None)])
def test_the_probe_judges_the_peak(peak: float, severity: str | None):
    report = diagnose.preflight(select=["MEM001"], memory_plan=plan_with(int(peak)))
    assert [finding.severity for finding in report.findings] == ([severity] if severity else [])


def test_the_figure_has_the_line_of_the_device():
    step, bars = memory_charts(plan_with(int(2e9)).figure() | {"peak": 10**9})
    assert [limit.name for limit in step.limits] == ["backward", "update", "a GPU of 4GB"]
    assert len(step.series) >= 5 and [bar.name for bar in bars.bars] == ["training step"]
    assert stated_limit("4GB").usable < 4 * 10**9 - OVERHEAD

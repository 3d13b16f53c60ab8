"""One step with fake weights: forward, backward, update, each allocation counted, and nothing allocated."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from diagnose.common.errors import short_error
from diagnose.engine.context import NotApplicable
from probes.facts.core.batches import copy_batch
from probes.facts.core.model_parts import as_in_training
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.progress_log import silence_transformers
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import iter_leaves
from probes.facts.memory.fake_weights import fake_update, fake_weights
from probes.facts.memory.gpu_kernels import autocast_of, device_rules
from probes.facts.memory.step_meter import StepMeter, on_gradient
from probes.facts.memory.types import MemoryPrediction, StepOptions


def with_allocator_peak(prediction: MemoryPrediction, setup: StepSetup, batch: Any) -> MemoryPrediction:
    """Forward, backward and update of the model that is there; without a GPU the prediction as it is."""
    first = next(setup.model.parameters(), None)
    if first is None or first.device.type != "cuda":
        return prediction
    with restore_afterwards(setup.model, setup.optimizer, others=setup.also_restore), torch.enable_grad():
        as_in_training(setup.model)
        torch.cuda.reset_peak_memory_stats(first.device)
        before = torch.cuda.memory_allocated(first.device)
        setup.compute_loss(setup.model, copy_batch(batch)).backward()
        if setup.optimizer is not None:
            setup.optimizer.step()
        counted = torch.cuda.max_memory_allocated(first.device) - before
    held = prediction.step.kinds.get("weights", 0) + prediction.step.kinds.get("optimizer state", 0)
    return replace(prediction, allocator=counted + held)


@dataclass(frozen=True)
class CountedStep:
    """The meter after a step, and the operations at which backward and update began."""

    meter: StepMeter
    backward: int
    update: int


def count_step(setup: StepSetup, batch: Any, options: StepOptions) -> CountedStep:
    """Forward, backward and update as the options say."""
    with _faked(setup, batch, options) as (model, meter, fakes, own):
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                parameter.register_post_accumulate_grad_hook(on_gradient(meter, name))
                if options.accumulates:
                    parameter.grad = torch.empty_like(parameter)
                    meter.set_kind(parameter.grad, "gradients", name.rpartition(".")[0])
        with autocast_of(model, options):
            loss = setup.compute_loss(model, own)
        meter.forget_weight_copies()
        backward = _name_living(meter, "activations")
        loss.backward()
        del loss
        update = meter.clock
        names = {id(parameter): name.rpartition(".")[0] for name, parameter in model.named_parameters()}
        for parameter, state in fake_update(setup.optimizer, fakes, options.gpu) if setup.optimizer else ():
            meter.set_kind(state, "optimizer state", names.get(id(parameter), ""))
    return CountedStep(meter, backward, update)


def count_evaluation(setup: StepSetup, batch: Any, options: StepOptions) -> tuple[StepMeter, int]:
    """The forward pass of an evaluation; and the positions that the encoder returns, 0 without an encoder."""
    positions = [0]

    def note(module: Any, args: Any, output: Any) -> None:
        positions.extend(tensor.shape[1] for tensor in iter_leaves(output) if tensor.dim() == 3)

    with _faked(setup, batch, options) as (model, meter, _, own), torch.no_grad(), autocast_of(model, options):
        model.eval()
        encoder = getattr(model, "get_encoder", lambda: None)()
        if isinstance(encoder, torch.nn.Module):
            encoder.register_forward_hook(note)
        setup.compute_loss(model, own)
    return meter, max(positions)


@contextmanager
def _faked(setup: StepSetup, batch: Any, options: StepOptions) -> Iterator[tuple[Any, StepMeter, Any, Any]]:
    """Inside, the model holds fake weights in training mode, and all is counted; with a copy of the batch."""
    model, own, mode = setup.model, copy_batch(batch), FakeTensorMode(allow_non_fake_inputs=True)
    meter = StepMeter({id(module): name for name, module in model.named_modules()}, options.gpu)
    with restore_afterwards(model, others=setup.also_restore), torch.enable_grad(), ExitStack() as stack:
        as_in_training(model)
        stack.enter_context(silence_transformers())
        _configure(model, options)
        fakes = stack.enter_context(fake_weights(model, mode))
        if options.freeze_encoder:
            _freeze_encoder(model)
        for name, weight in (*model.named_parameters(), *model.named_buffers()):
            meter.add(weight, "weights", name.rpartition(".")[0])
        for tensor in iter_leaves(own):
            meter.add(tensor, "batch", "")
        for context in (device_rules(options), mode, meter, meter.modules()):
            stack.enter_context(context)
        try:
            yield model, meter, fakes, own
        except (NotApplicable, MemoryError):
            raise
        except Exception as error:
            raise NotApplicable(f"the step does not run on fake tensors: {short_error(error)}") from error


def _configure(model: Any, options: StepOptions) -> None:
    if options.checkpointing and hasattr(model, "gradient_checkpointing_enable"):
        model.gradient_checkpointing_enable({"use_reentrant": False})


def _freeze_encoder(model: Any) -> None:
    for parameter in model.get_encoder().parameters():
        parameter.requires_grad_(False)


def _name_living(meter: StepMeter, kind: str) -> int:
    """What lives when the forward pass ends is kept for the backward pass."""
    for allocation in meter.living():
        if allocation.kind == meter.default_kind:
            allocation.kind = kind
    return meter.clock

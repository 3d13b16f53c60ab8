"""Takes one step with gradient checkpointing switched the other way, and compares which parameters get a gradient."""

import warnings
from collections.abc import Mapping
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import one_line
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup


def step_missing(setup: StepSetup, batch: Any, options: Mapping[str, Any], on: bool) -> tuple[frozenset[str], str]:
    """Trainable parameters without a gradient after a step with checkpointing on or off; and what the step raised."""
    model = setup.model
    with restore_afterwards(model, others=setup.also_restore):
        switch(model, options, on)
        model.train()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch says what is measured here
                setup.compute_loss(model, copy_batch(batch)).backward()
        except Exception as error:
            return frozenset(), f"{type(error).__name__}: {one_line(str(error))}"
        finally:
            pass_counter.count_passes()
        named = model.named_parameters()
        return frozenset(name for name, weight in named if weight.requires_grad and weight.grad is None), ""


def switch(model: torch.nn.Module, options: Mapping[str, Any], on: bool) -> None:
    """As a Trainer does it when training begins."""
    enable = getattr(model, "gradient_checkpointing_enable", None)
    disable = getattr(model, "gradient_checkpointing_disable", None)
    if not callable(enable) or not callable(disable):
        raise NotApplicable(f"{type(model).__name__} has no gradient_checkpointing_enable")
    try:
        enable(gradient_checkpointing_kwargs=dict(options)) if on else disable()
    except ValueError as reason:
        raise NotApplicable(str(reason)) from reason


def layer_drop(model: Any) -> float:
    """The highest share of layers that any part of the model leaves out in training."""
    configs = [getattr(module, "config", None) for module in model.modules()]
    names = ("layerdrop", "encoder_layerdrop", "decoder_layerdrop")
    return max((float(getattr(config, name, 0.0) or 0.0) for config in configs for name in names), default=0.0)

"""Finds the first module whose output differs between two passes with the same seed and the same input."""

from collections.abc import Callable
from typing import Any

import torch

from probes.facts.core.hooks import ModuleCall, record_modules
from probes.facts.core.model_parts import as_in_training
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import iter_leaves


def first_nondeterministic_module(setup: StepSetup, run: Callable[[], Any]) -> tuple[str, str]:
    """Its name and class; empty where the difference lies outside of all modules, as in the loss function."""
    runs: list[list[ModuleCall]] = []
    for _ in range(2):
        restored = restore_afterwards(setup.model, others=setup.also_restore)
        with restored, torch.no_grad(), record_modules(setup.model, _sums) as calls:
            as_in_training(setup.model)
            run()
        runs.append(calls)
    for one, other in zip(*runs, strict=False):
        if one[:3] == other[:3] and one.outputs != other.outputs:
            return one.name or "the model itself", one.kind
    return "", ""


def _sums(value: Any) -> tuple[float, ...]:
    tensors = (tensor for tensor in iter_leaves(value) if tensor.numel() and not tensor.is_complex())
    return tuple(float(tensor.detach().double().sum()) for tensor in tensors)

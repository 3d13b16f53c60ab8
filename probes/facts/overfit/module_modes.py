"""Module modes for overfitting: as in training, without what is random."""

from collections.abc import Iterator

import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from probes.facts.core.model_parts import as_in_training

RECURRENT = torch.nn.RNNBase  # on a GPU they refuse a backward pass in evaluation mode


def disable_dropout(model: torch.nn.Module) -> str:
    """Dropout, masking and dropped layers off; batch norm as the run has it. Says what it did."""
    as_in_training(model)
    noisy = [module for module in model.modules() if isinstance(module, _DropoutNd) and module.p > 0]
    for module in model.modules():
        if isinstance(module, RECURRENT):
            module.dropout = 0.0
        elif not isinstance(module, _BatchNorm):
            module.training = False
    return f"dropout, masking and augmentation in the model off ({len(noisy)} dropout modules)"


def stochastic_modules(model: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    """Modules that act otherwise in training: what may keep a model from learning there."""
    for name, module in model.named_modules():
        if isinstance(module, _DropoutNd | _BatchNorm) and module.training:
            yield name, module

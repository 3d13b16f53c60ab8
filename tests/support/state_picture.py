"""Everything that must be the same before and after: a picture of a model, an optimiser and the random states."""

import random

import numpy as np
import torch


def picture(model, *others):
    """Bits and address of every tensor, modes, hooks, gradients, identities of attributes, random states, switches."""
    tensors = {**dict(model.named_parameters(remove_duplicate=False)), **dict(model.named_buffers())}
    return {
        "tensors": {name: _tensor(tensor) for name, tensor in tensors.items()},
        "modes": {name: module.training for name, module in model.named_modules()},
        "hooks": {name: _hooks(module) for name, module in model.named_modules()},
        "attributes": {name: _attributes(module) for name, module in model.named_modules()},
        "others": [_state(other) for other in others],
        "random": (random.getstate(), np.random.get_state()[1].tobytes(), torch.get_rng_state().numpy().tobytes()),
        "switches": switches(),
    }


def switches():
    return (
        torch.is_grad_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.get_autocast_dtype("cpu"),
        (torch.autocast_increment_nesting(), torch.autocast_decrement_nesting())[1],
        torch.are_deterministic_algorithms_enabled(),
        torch.is_anomaly_enabled(),
        torch.get_default_dtype(),
        torch.get_num_threads(),
    )


def _tensor(tensor):
    grad = None if tensor.grad is None else (id(tensor.grad), _bits(tensor.grad))
    return id(tensor), tensor.data_ptr(), tensor.dtype, tensor.requires_grad, _bits(tensor), grad


def _bits(tensor):
    return tensor.detach().contiguous().view(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def _hooks(module):
    return [list(value) for name, value in vars(module).items() if "hooks" in name and value is not None]


def _attributes(module):
    return {name: id(value) for name, value in vars(module).items() if not isinstance(value, int | float | str)}


def _state(value):
    """A nested copy of an object's plain state, tensors as bits."""
    if isinstance(value, torch.Tensor):
        return id(value), _bits(value)
    if isinstance(value, dict):
        return [(id(key) if isinstance(key, torch.Tensor) else key, _state(entry)) for key, entry in value.items()]
    if isinstance(value, list | tuple):
        return [_state(entry) for entry in value]
    if isinstance(value, int | float | str | bool | type(None)):
        return value
    if isinstance(value, torch.optim.Optimizer):
        return _state(dict(value.state)), _state(value.param_groups), sorted(vars(value))
    return _state(vars(value)) if hasattr(value, "state_dict") else id(value)

"""The norm of the weights."""

from math import isfinite

import torch
from torch import nn


def weight_stats(model: nn.Module) -> dict[str, float | bool]:
    """The norm of all weights, and whether all are finite; read again only if the norm is not finite."""
    weights = [value.detach() for value in model.parameters() if value.is_floating_point()]
    norm = float(torch.nn.utils.get_total_norm(weights))
    finite = isfinite(norm) or all(bool(torch.isfinite(value).all()) for value in weights)
    return {"weight_norm": norm, "weights_finite": finite}

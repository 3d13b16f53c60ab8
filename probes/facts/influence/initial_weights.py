"""Whether a layer's weights are those that a new layer is given."""

import torch
from torch import nn

FEWEST = 16  # values from which a law can be told
ERRORS = 5  # standard errors of a mean of squares
WIDEST = 0.75  # of the mean of squares: with few values, five standard errors would allow anything


def has_initial_weights(layer: nn.Module, deviations: tuple[float, ...] = ()) -> bool:
    """Whether weight and bias look as torch draws both, or as transformers does with one of these deviations."""
    weight, bias = layer.weight, getattr(layer, "bias", None)
    if not isinstance(weight, torch.Tensor) or weight.is_meta or weight.numel() < FEWEST:
        return False
    values = weight.detach().double().flatten()
    bound = weight[0].numel() ** -0.5 * (1 + torch.finfo(weight.dtype).eps)
    return _is_uniform(values, bias, bound) or any(_is_normal(values, bias, one) for one in deviations)


def _is_uniform(values: torch.Tensor, bias: torch.Tensor | None, bound: float) -> bool:
    """Uniform between -1/sqrt(fan_in) and 1/sqrt(fan_in), weight and bias: torch's default."""
    inside = float(values.abs().max()) <= bound
    drawn = bias is None or (bool(bias.any()) and float(bias.detach().abs().max()) <= bound)
    # the mean square of a uniform law is 1/3, with a variance of 4/45 for each value
    return inside and drawn and _near(3 * (values / bound).square().mean(), 9 * 4 / 45 / len(values))


def _is_normal(values: torch.Tensor, bias: torch.Tensor | None, deviation: float) -> bool:
    """Normal with a bias of zeros: the default of transformers. The mean square is 1, its variance 2 for each value."""
    untrained = bias is None or not bool(bias.any())
    return untrained and _near((values / deviation).square().mean(), 2.0 / len(values))


def _near(mean_square: torch.Tensor, variance: float) -> bool:
    return abs(float(mean_square) - 1) < min(ERRORS * variance**0.5, WIDEST)

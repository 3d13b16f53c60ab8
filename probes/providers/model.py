"""The model's parameters, alone and in the optimiser."""

from typing import TYPE_CHECKING, Any

from probes.measured.parameters import Parameters

if TYPE_CHECKING:
    from torch.nn import Module


def parameters(model: "Module") -> Parameters:
    from probes.instruments.parameters import parameters_of

    return parameters_of(model)


def optimised_parameters(model: "Module", optimizer: Any) -> Parameters:
    """The same table, with the optimiser's groups that hold each parameter."""
    from probes.instruments.parameters import parameters_of

    return parameters_of(model, optimizer)

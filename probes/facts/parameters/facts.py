"""The model's parameters, alone and in the optimiser: what trains, what is new, what its values look like."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.parameters.types import NewParameters, Parameters, ReusedLayer, TrainablePatterns
from probes.facts.parameters.weight_types import MemoryOverlap, MissingKeys, UntrainedFrozenModules, Weights, WeightTie

if TYPE_CHECKING:
    from torch.nn import Module


@provider
def parameters(model: "Module") -> Parameters:
    from probes.facts.parameters.parameter_table import parameters_of

    return parameters_of(model)


@provider
def optimizer_parameters(model: "Module", optimizer: Any) -> Parameters:
    """The same table, with the optimiser's groups that hold each parameter."""
    from probes.facts.parameters.parameter_table import parameters_of

    return parameters_of(model, optimizer)


@provider
def trainable_patterns(parameters: Parameters, trainable: Any) -> TrainablePatterns:
    """What is meant to train beside what does."""
    from probes.facts.parameters.parameter_table import match_patterns

    return match_patterns(parameters, _patterns(trainable))


@provider
def missing_keys(model: "Module") -> tuple[str, ...]:
    """Parameters that were not in the checkpoint. Give it (from_pretrained's loading info) where nothing else tells."""
    from probes.facts.parameters.new_parameters import absent_in_checkpoint

    absent = absent_in_checkpoint(model)
    return require(absent, "all weights were loaded" if absent is not None else "the source of the weights is unknown")


@provider
def missing_parameters(model: "Module", missing_keys: Any = None, fresh: Any = None) -> MissingKeys:
    """What the checkpoint did not hold, each beside the same parameter of another layer."""
    from probes.facts.parameters.new_parameters import missing_of

    require(missing_keys is not None, "nothing is missing, or the source of the weights is unknown")
    return missing_of(model, missing_keys, None if fresh is None else _patterns(fresh))


@provider
def new_parameters(
    model: "Module", fresh: Any = None, missing_keys: Any = None, unfrozen_later: Any = ()
) -> NewParameters:
    """The parameters that are new, by whoever says so; not those that the run thaws by itself."""
    from probes.facts.parameters.new_parameters import novelty_of

    if fresh is None and missing_keys is None:
        raise NotApplicable("neither `fresh` nor a checkpoint shows which parameters are new")
    return novelty_of(model, _patterns(fresh or ()), missing_keys or (), _patterns(unfrozen_later))


@provider
def untrained_frozen_modules(model: "Module") -> UntrainedFrozenModules:
    """Frozen modules that look as if nobody had trained them."""
    from probes.facts.parameters.new_parameters import untouched_of

    return untouched_of(model)


@provider
def initial_weights(model: "Module") -> Weights:
    """The values of every parameter, read once."""
    from probes.facts.parameters.weight_values import weights_of

    return weights_of(model)


@provider(may_be_empty=True)
def memory_overlaps(model: "Module") -> tuple[MemoryOverlap, ...]:
    """Parameters over the same memory."""
    from probes.facts.parameters.weight_values import overlaps_of

    return overlaps_of(model)


@provider
def configured_weight_ties(model: "Module", untied: Any = ()) -> tuple[WeightTie, ...]:
    """The pairs that the configuration ties and nobody wants apart."""
    from probes.facts.parameters.parameter_table import matches
    from probes.facts.parameters.weight_values import configured_ties

    apart = _patterns(untied)
    found = tuple(t for t in configured_ties(model) if not matches(t.target, apart) and not matches(t.source, apart))
    return require(found, "no two parameters are tied")


@provider(may_be_empty=True)
def reused_layers(step_setup: StepSetup, batch: Any) -> tuple[ReusedLayer, ...]:
    """One forward pass of the first batch."""
    from probes.facts.parameters.layer_reuse import find_reused_layers

    return find_reused_layers(step_setup, batch)


def _patterns(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)

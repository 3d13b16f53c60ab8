"""Weights that grew far beyond what any training leaves: then an operation that fails is not to blame."""

from dataclasses import replace

from torch.nn import Module

from probes.facts.nonfinite.traced_step import AutocastSetup
from probes.facts.nonfinite.types import ExplodedWeight, Origin

# Trained T5 has the widest weights in use: std × √fan-in up to 15, so norms and biases (fan-in 1) below 100 at six
# standard deviations. Ten times that is none of them.
LARGEST = 1e3
OWN_CAUSE = ("nothing scored", "ctc target too long")  # of the labels, whatever the weights are


def blame_weights(origin: Origin, subject: AutocastSetup) -> Origin:
    """The origin as an overflow of these weights, where they have exploded; else as it is."""
    weight = largest_weight(subject.model)
    if weight is None or weight.largest <= LARGEST or origin.cause in OWN_CAUSE or not origin.operation:
        return origin
    return replace(origin, cause="overflow", exploded=replace(weight, learning_rate=_learning_rate(subject)))


def largest_weight(model: Module) -> ExplodedWeight | None:
    """Of those that train."""
    trained = ((name, p.detach()) for name, p in model.named_parameters() if p.requires_grad and p.numel())
    sizes = [(float(weight.abs().max()), name) for name, weight in trained]
    return ExplodedWeight(max(sizes)[1], max(sizes)[0]) if sizes else None


def _learning_rate(subject: AutocastSetup) -> float | None:
    groups = getattr(subject.optimizer, "param_groups", None)
    return max(float(group["lr"]) for group in groups) if groups else None

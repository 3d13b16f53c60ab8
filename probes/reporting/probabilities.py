"""What the probes of softmax share: whether a loss function receives probabilities."""

from probes.facts.loss.types import LossCall

OFF = 1e-2  # half precision rounds a sum over some ten thousand classes by less


def are_probabilities(call: LossCall | None) -> bool:
    """Values from 0 on that sum to 1 over the classes."""
    return call is not None and call.classes > 1 and call.lowest >= 0.0 and call.sum_error < OFF

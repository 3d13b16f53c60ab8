"""How the step of one batch ended, in words."""

from probes.facts.loss.types import ExtremeBatchResult


def describe(result: ExtremeBatchResult) -> str:
    """The loss, and the gradients (of a user's own step, the weights) that are not finite; or what was raised."""
    if result.failure is not None:
        return str(result.failure)
    count = len(result.bad_gradients)
    if result.weights and count:
        return f"after training_step {count} weights contain NaN or Inf, first {result.bad_gradients[0]}"
    loss = "none" if result.loss is None else f"{result.loss:.4g}"
    return f"Loss: {loss}" + (
        f"; {count} gradients contain NaN or Inf, first {result.bad_gradients[0]}" if count else ""
    )

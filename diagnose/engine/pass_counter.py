"""Counts forward-and-backward passes, the coin in which a stage's cost is told. Instruments count; the runner reads."""

_passes = 0.0


def count_passes(passes: float = 1) -> None:
    """Called by whatever runs the model, once for each forward and backward of a batch; a share for less."""
    global _passes
    _passes += passes


def passes() -> float:
    """All passes so far in this process."""
    return _passes

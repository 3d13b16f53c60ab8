"""Counts forward-and-backward passes, the unit of a stage's cost. Instruments count; the runner reads."""

FORWARD = 1 / 3  # of a pass: the backward pass costs twice as much

_passes = 0.0


def count_passes(passes: float = 1) -> None:
    """Called by whatever runs the model, once for each forward and backward of a batch; a share for less."""
    global _passes
    _passes += passes


def passes() -> float:
    """All passes so far in this process."""
    return _passes

"""Details of an overfit: idle modules, the state of CTC, variants of the trial."""

from dataclasses import dataclass


@dataclass(frozen=True)
class IdleModule:
    """A module that should train and does not take part in learning."""

    module: str
    kind: str
    tensors: int
    share: float  # of what trains, or of all where it is frozen
    why: str  # no gradient, gradient of zero, not in the optimiser, frozen


@dataclass(frozen=True)
class CtcState:
    """The CTC part at the end: a mean over labels and rows, whatever the model's own reduction is."""

    first: float
    loss: float
    floor: float  # of one distribution for all frames
    non_blank: float  # share of frames whose likeliest class is not the blank
    varies: float = 0.0  # by how much its scores differ between frames, in nats
    updates: int = 0  # taken before it was judged


@dataclass(frozen=True)
class OverfitVariant:
    """The same rows once more with one thing changed."""

    what: str
    final: float
    accuracy: float | None
    updates: int

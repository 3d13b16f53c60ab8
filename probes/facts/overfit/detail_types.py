"""Types for the parts of an overfit result."""

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
class NonfiniteGradient:
    """Gradients that are not finite while the loss is, and is no higher than at first."""

    update: int  # before which it was seen
    loss: float
    names: tuple[str, ...]


@dataclass(frozen=True)
class OverfitVariant:
    """The same rows once more with one thing changed."""

    what: str
    final: float
    accuracy: float | None
    updates: int


@dataclass(frozen=True)
class TrainModeResult:
    """The learnt rows in training mode, dropout and batch norm at work, after further updates in that mode."""

    loss: float
    cross_entropy: float | None
    updates: int
    exchanged: float | None = None  # `book` with the inputs exchanged and the same draws
    steady: bool = False  # worse in every draw
    learns: bool = False  # its inputs still count in this mode
    guilty: str = ""  # the module without which it learns
    kind: str = ""
    failure: str = ""

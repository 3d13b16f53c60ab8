"""Types for what influences what in a forward pass."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RowInfluence:
    """Outputs of other rows once the first row has other inputs; differences are in units of the outputs' spread."""

    rows: int
    compared: int  # outputs that have one entry for each row
    changed: int  # rows, without the first, whose outputs differ
    change: float
    eps: float  # the finest difference that the outputs' type can tell
    module: str = ""  # the first, in running order, whose output differs in another row than the first
    kind: str = ""
    labelled: bool = False  # each row has labels of its own


@dataclass(frozen=True)
class UnusedPart:
    """Neighbouring positions of an input, along one axis, that change neither output nor loss."""

    name: str
    shape: tuple[int, ...]  # of one row
    axis: int  # of one row
    first: int
    last: int

    @property
    def share(self) -> float:
        return (self.last - self.first + 1) / self.shape[self.axis]

    @property
    def at_the_edge(self) -> bool:
        return self.first == 0 or self.last == self.shape[self.axis] - 1


@dataclass(frozen=True)
class InputInfluence:
    """The inputs of the model's forward, other than labels, and which of them change neither output nor loss."""

    tried: tuple[str, ...]  # those that differ between rows
    unused: tuple[str, ...] = ()
    parts: tuple[UnusedPart, ...] = ()
    library: str = ""  # the package of the model's class; "" where it is the user's own, or put together of torch's


@dataclass(frozen=True)
class BatchChange:
    """Tensors of the batch that a forward pass writes to; the loss of that pass, and of one more on the same batch."""

    names: tuple[str, ...]
    changed_twice: tuple[str, ...]  # those that the second pass changed once more
    losses: tuple[float, float]
    in_memory: bool  # the run's batches lie in memory, and the next epoch gets the changed ones


@dataclass(frozen=True)
class EvalDropout:
    """A call of dropout that draws although the model is in evaluation mode."""

    module: str
    kind: str
    function: str
    p: float


@dataclass(frozen=True)
class UnusedLayer:
    """A layer that trains, that no forward pass calls and no gradient reaches."""

    module: str
    kind: str
    size: int
    share: float  # of what trains
    library: str  # the package that holds it; "" for the user's own code


@dataclass(frozen=True)
class InitialScores:
    """The cross-entropy of the first batch beside that of a guess."""

    cross_entropy: float
    classes: int
    spread: float  # standard deviation of the scores
    library: str  # of the model's class


@dataclass(frozen=True)
class FrozenLayer:
    """A layer that is frozen alone among layers that train, and has the weights that torch draws for a new one."""

    module: str
    kind: str
    size: int

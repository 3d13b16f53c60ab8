"""Types for the values of parameters and the memory that they share."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MissingKey:
    """A parameter that the checkpoint did not hold."""

    name: str
    size: int
    expected: bool  # it is among what is said to be fresh
    neighbour: str = ""  # the same parameter of another layer, which the checkpoint did hold
    matrix: bool = True
    table: bool = False  # it is the table of tokens, or the head that scores them


@dataclass(frozen=True)
class MissingKeys:
    """Parameters that keep their initial values after loading, of so many values."""

    rows: tuple[MissingKey, ...]
    total: int
    declared: bool  # the user declared which parts are new


@dataclass(frozen=True)
class WeightStats:
    """What the values of one parameter look like."""

    name: str
    kind: str
    shape: tuple[int, ...]
    trainable: bool
    role: str  # dense, head, embedding or other
    size: int
    nan: int = 0
    infinite: int = 0
    lowest: float = 0.0
    highest: float = 0.0
    std: float = 0.0
    gain: float = 0.0  # std × √fan-in: how much wider the output is than the input
    equal_rows: bool = False  # every unit has the same weights
    sibling_std: float | None = None  # median over the same parameter of the other layers

    @property
    def constant(self) -> bool:
        return self.lowest == self.highest


@dataclass(frozen=True)
class Weights:
    """Every parameter's values, and the buffers that hold NaN."""

    rows: tuple[WeightStats, ...]
    nan_buffers: tuple[str, ...] = ()

    @property
    def matrices(self) -> tuple[WeightStats, ...]:
        return tuple(row for row in self.rows if row.role in ("dense", "head", "embedding"))


@dataclass(frozen=True)
class UntrainedFrozenModules:
    """Frozen modules that look as initialisation leaves them, among frozen ones that training has moved."""

    names: tuple[str, ...]
    size: int
    trained: int  # values in frozen modules that were trained
    adapters: tuple[str, ...] = ()  # frozen modules that are adapters by name or make, whose weights tell nothing
    silent: tuple[str, ...] = ()  # frozen matrices that are all zero: what follows them is zero for ever


@dataclass(frozen=True)
class MemoryOverlap:
    """Two different parameters over the same memory."""

    one: str
    other: str
    values: int


@dataclass(frozen=True)
class WeightTie:
    """A pair that the configuration ties."""

    target: str
    source: str
    one: bool  # they are one tensor
    equal: bool  # they hold the same values

"""Types for the model's parameters."""

from dataclasses import dataclass
from typing import Any

FIRST = 10  # names in a summary


@dataclass(frozen=True)
class ParameterRow:
    """One parameter. Tied ones appear once, under their first name."""

    name: str
    module: str  # class of the module that holds it
    shape: tuple[int, ...]
    size: int
    dtype: str
    device: str
    trainable: bool
    groups: tuple[int, ...] = ()  # the optimiser's groups that hold it
    role: str = ""  # norm or bias, by the kind of module that holds it
    decay: float = 0.0  # the weight decay of its group
    fixed: bool = False  # frozen by design: a table of sinusoids


@dataclass(frozen=True)
class Parameters:
    """All parameters of the model, and the ones that only the optimiser knows."""

    rows: tuple[ParameterRow, ...]
    foreign: int = 0

    @property
    def total(self) -> int:
        return sum(row.size for row in self.rows)

    @property
    def trainable(self) -> int:
        return sum(row.size for row in self.rows if row.trainable)

    def figure(self) -> dict[str, Any]:
        """For the report: every parameter with its size, and whether it trains."""
        fields = ("name", "shape", "size", "dtype", "device", "trainable")
        rows = [{field: getattr(row, field) for field in fields} for row in self.rows]
        return {"total": self.total, "trainable": self.trainable, "rows": rows}

    def summary(self) -> dict[str, Any]:
        """Values and tensors that train, and the first names of both kinds."""
        names = {kind: [row.name for row in self.rows if row.trainable is kind] for kind in (True, False)}
        counts = {"trainable": self.trainable, "total": self.total, "trainable_tensors": len(names[True])}
        firsts = {"first_trainable": names[True][:FIRST], "first_frozen": names[False][:FIRST]}
        return counts | {"frozen_tensors": len(names[False])} | firsts


@dataclass(frozen=True)
class NewParameters:
    """New parameters: declared by the user, or absent from the checkpoint."""

    declared: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def why(self, name: str) -> str:
        return "is listed as newly initialized" if name in self.declared else "was not in the checkpoint"


@dataclass(frozen=True)
class MovedBuffer:
    """A buffer of a frozen part that a forward pass in training mode has changed."""

    name: str
    kind: str
    change: float  # relative to its own norm


@dataclass(frozen=True)
class TrainablePatterns:
    """The patterns in `trainable`, compared with what requires a gradient."""

    patterns: tuple[str, ...]
    unmatched: tuple[str, ...]  # patterns that no parameter matches
    frozen: tuple[str, ...]  # meant to train, and frozen
    unrequested: tuple[str, ...]  # trains without being requested
    frozen_values: int = 0
    unnamed_values: int = 0


@dataclass(frozen=True)
class ReusedLayer:
    """A layer with weights that runs several times: under several names, or on what it gave before."""

    names: tuple[str, ...]
    calls: int

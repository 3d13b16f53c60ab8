"""Of the model's parameters."""

from dataclasses import dataclass


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


@dataclass(frozen=True)
class Parameters:
    """All parameters of the model, and the ones that only the optimiser knows."""

    rows: tuple[ParameterRow, ...]
    strangers: int = 0

    @property
    def total(self) -> int:
        return sum(row.size for row in self.rows)

    @property
    def trainable(self) -> int:
        return sum(row.size for row in self.rows if row.trainable)

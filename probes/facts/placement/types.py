"""Types for devices, dtypes and train or eval mode."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from probes.facts.parameters.types import MovedBuffer


@dataclass(frozen=True)
class TensorPlacement:
    """A tensor of the model or the batch."""

    name: str
    owner: str  # parameter, buffer or batch
    module: str  # the module that holds it; the batch has none
    device: str
    dtype: str
    size: int
    trainable: bool = False


@dataclass(frozen=True)
class Placement:
    """All tensors of the model and of the first batch."""

    rows: tuple[TensorPlacement, ...]
    spread: bool = False  # the model is dispatched over several devices
    batch_is_moved: bool = False  # a Trainer, or the user's own loss, may move the batch

    def of(self, *owners: str) -> tuple[TensorPlacement, ...]:
        return tuple(row for row in self.rows if row.owner in owners)

    def summary(self) -> dict[str, Any]:
        """By device and by dtype, the number of tensors of the model and of the batch."""
        model, batch = self.of("parameter", "buffer"), self.of("batch")
        return {
            "devices": dict(Counter(row.device for row in model)),
            "dtypes": dict(Counter(row.dtype for row in self.of("parameter"))),
            "batch_devices": dict(Counter(row.device for row in batch)),
        }


@dataclass(frozen=True)
class MasterWeights:
    """Where the optimizer keeps float32 copies of 16-bit weights. `source` is empty where it has none."""

    source: str = ""
    rate: float | None = None


@dataclass(frozen=True)
class DtypeMismatch:
    """Parameters of one module, or of the same module in other layers, that are of different types."""

    module: str
    kind: str
    found: str
    others: str
    within: bool


@dataclass(frozen=True)
class EvalModeModule:
    """A module in evaluation mode within a model that trains."""

    name: str
    dropouts: int
    norms: int
    fresh_norms: int  # of them, those whose running statistics have never been fed
    trainable: int  # values below it that train


@dataclass(frozen=True)
class TrainingPass:
    """One pass as training makes it: what it did to modes, and to the buffers of frozen parts."""

    by: str  # what was called
    was_in_training: bool = True  # before the pass
    ran_in_evaluation: bool = False
    left_in_evaluation: bool = False
    moved: tuple[MovedBuffer, ...] = ()

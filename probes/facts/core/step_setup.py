"""What a step is taken with: the user's own objects, with our defaults for what was not given."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.nn import Module

ComputeLoss = Callable[[Any, Any], Any]
LabelsOf = Callable[[Any], Any]
LABELS = ("labels", "label", "targets", "target", "y")  # the first of these names that a batch has


def labels_of_batch(batch: Any) -> Any:
    """The default labels_of: what is named so, or the second of a pair. None when there is neither."""
    if isinstance(batch, Mapping):
        return next((batch[name] for name in LABELS if batch.get(name) is not None), None)
    named = next((value for name in LABELS if (value := getattr(batch, name, None)) is not None), None)
    return batch[1] if named is None and isinstance(batch, list | tuple) and len(batch) == 2 else named


@dataclass(frozen=True)
class StepSetup:
    """Model, loss and optimizer of a step, and what else has to be restored after one."""

    model: "Module"
    compute_loss: ComputeLoss
    optimizer: Any = None
    labels_of: LabelsOf = labels_of_batch
    inputs_of: LabelsOf | None = None
    grad_scaler: Any = None
    also_restore: tuple[Any, ...] = ()  # objects that compute_loss may change, such as a Trainer's state

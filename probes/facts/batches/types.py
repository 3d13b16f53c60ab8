"""Types for the first batch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BatchShape:
    """Keys and shapes of the first batch. `keys` is empty where the batch has no names (a pair, an object)."""

    keys: tuple[str, ...] = ()
    labels: tuple[int, ...] | None = None  # their shape; None where the batch has none
    kind: str = ""  # dtype of the labels
    whole: bool = False  # the labels are whole numbers, whatever their type
    inputs: tuple[tuple[str, tuple[int, ...]], ...] = ()  # every other tensor, with its shape
    model: str = ""
    takes_labels: bool = False  # forward has a parameter of that name
    lacking: tuple[str, ...] = ()  # required by forward and not in the batch

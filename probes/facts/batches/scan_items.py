"""Reads items spread over a dataset, and collates those that hold NaN or Inf as a batch would hold them."""

from collections.abc import Callable
from typing import Any

from probes.facts.batches.scan import BYTES, bad_values
from probes.facts.batches.types import PickedBatch
from probes.facts.core.batches import copy_batch, tensors_of
from probes.facts.core.fork import ChildRaised, run_apart
from probes.facts.core.numbers import as_array, evenly_spaced

# In work, as for batches: reading so many items costs what an epoch over them waits for its data.
ITEMS = 4096

Collate = Callable[[list[Any]], Any]


def collate_bad_items(dataset: Any, collate: Collate) -> tuple[PickedBatch, ...]:
    """The first one only; a NaN that the collator leaves out or replaces is no fault."""
    try:
        return tuple(run_apart(lambda: _collated(dataset, collate), dataset, collate))
    except ChildRaised:  # an item that cannot be read is for others to tell
        return ()


def _collated(dataset: Any, collate: Collate) -> list[PickedBatch]:
    size = 0
    for number in evenly_spaced(range(len(dataset)), ITEMS):
        if size >= BYTES:
            break
        item = dataset[number]
        size += sum(tensor.nbytes for _, tensor in tensors_of(item))
        if _is_suspect(item):
            batch = collate([copy_batch(item), copy_batch(dataset[(number + 1) % len(dataset)])])
            if bad := bad_values(batch):
                name = f"a batch with train_dataset[{number}]"
                return [PickedBatch(name, "a value in it is not finite", batch, (number,), bad)]
    return []


def _is_suspect(item: Any) -> bool:
    """Tensors, arrays and plain lists of floats are looked into; whatever else an item holds is not."""
    values = item.values() if hasattr(item, "values") else item if isinstance(item, list | tuple) else [item]
    arrays = [array for array in map(as_array, values) if array is not None and array.dtype.kind == "f"]
    return any(not bool((array - array == 0).all()) for array in arrays)

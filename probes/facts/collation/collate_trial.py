"""Collates a few items of the training set in a child: each alone, and all together."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from probes.facts.collation.row_alignment import align_rows
from probes.facts.collation.types import CollatedSample, DatasetItem
from probes.facts.core.batch_rows import Collate, input_of, rows_of
from probes.facts.core.batches import copy_batch
from probes.facts.core.fork import run_apart
from probes.facts.core.numbers import as_array
from probes.facts.core.step_setup import LabelsOf
from probes.facts.corpus.manifest_rows import TEXTS


def collate_some(dataset: Any, numbers: Sequence[int], collate: Collate, labels_of: LabelsOf) -> CollatedSample:
    """These items, all that the collator makes of them, read apart from the run."""
    return run_apart(
        lambda: _collated([dataset[number] for number in numbers], list(numbers), collate, labels_of), dataset, collate
    )


def _collated(items: list[Any], numbers: list[int], collate: Collate, labels_of: LabelsOf) -> CollatedSample:
    each = [collate([copy_batch(item)]) for item in items]
    sizes = [_size(batch) for batch in each]
    together = collate([copy_batch(item) for item in items])
    return CollatedSample(
        items=tuple(_item(number, item) for number, item in zip(numbers, items, strict=True)),
        labels=tuple(map(tuple, rows_of(labels_of(together)))),
        shortest=numbers[int(np.argmin(sizes))],
        longest=numbers[int(np.argmax(sizes))],
        alignment=align_rows(each, together, labels_of, input_of),
    )


def _size(batch: Any) -> int:
    read = input_of(batch)
    return 0 if read is None else read[1].numel()


def _item(number: int, item: Any) -> DatasetItem:
    where = f"train_dataset[{number}]"
    if not isinstance(item, Mapping):
        return DatasetItem(where)
    texts = {name: item[name] for name in TEXTS if isinstance(item.get(name), str) and item[name].strip()}
    named = item.get("id")
    return DatasetItem(str(named) if isinstance(named, str) else where, texts, _ids(item.get("labels")))


def _ids(labels: Any) -> tuple[int, ...] | None:
    found = as_array(labels)
    return tuple(found.tolist()) if found is not None and found.ndim == 1 and found.dtype.kind in "iu" else None

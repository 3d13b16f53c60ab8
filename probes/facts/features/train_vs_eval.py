"""Training against evaluation: the same items through both collators, and items of both sets, one at a time."""

from typing import Any

import torch
from torch.utils.data import DataLoader

from probes.facts.audio.dataset_items import waveform_of
from probes.facts.core.batch_rows import Collate
from probes.facts.core.fork import run_in_fork
from probes.facts.core.numbers import evenly_spaced
from probes.facts.features.batch_features import features_of, inputs_of_batch
from probes.facts.features.types import Features, Preprocessing, SilentBatch

ITEMS = 16  # of each set: two samples of one kind are fully apart with a chance of 2 in 600 million
SAME = 4  # items that go through both collators


def compare(train: DataLoader[Any], evaluation: DataLoader[Any], inputs_of: Any = None) -> Preprocessing:
    return run_in_fork(lambda: _compare(train, evaluation, inputs_of))


def _compare(train: DataLoader[Any], evaluation: DataLoader[Any], inputs_of: Any) -> Preprocessing:
    ours, theirs = train.collate_fn, evaluation.collate_fn
    gap = None if ours is theirs else _gap([train.dataset[n] for n in _numbers(train)[:SAME]], ours, theirs, inputs_of)
    return Preprocessing(_features(train, inputs_of), _features(evaluation, inputs_of), gap)


def _numbers(loader: DataLoader[Any]) -> list[int]:
    return evenly_spaced(range(len(loader.dataset)), ITEMS)  # type: ignore[arg-type]


def _features(loader: DataLoader[Any], inputs_of: Any) -> Features:
    """Each item as a batch of its own: no padding but what every clip gets. Collators may double rows for two tasks."""
    batches = [loader.collate_fn([loader.dataset[number]]) for number in _numbers(loader)]
    found = [features_of([batch], inputs_of) for batch in batches]
    return Features(found[0].key, found[0].width, tuple(one.rows[0] for one in found))


def _gap(items: list[Any], train_fn: Collate, eval_fn: Collate, inputs_of: Any) -> float | None:
    """How far the same items are apart after both collators, over their spread."""
    read = inputs_of or (lambda batch: inputs_of_batch(batch)[1])
    one, again, other = (read(collate(items)).float() for collate in (train_fn, train_fn, eval_fn))
    if one.shape != again.shape or not torch.equal(one, again):
        return None
    if one.shape != other.shape:
        return float("inf")
    apart = (one[:, None] - other[None]).abs().flatten(2).mean(-1) if one.dim() > 1 else (one - other).abs()[:, None]
    return float(apart.min(1).values.mean() / one.std().clamp(min=1e-6))  # one of the two may sort its rows


def collate_silence(collate: Collate, dataset: Any) -> SilentBatch | None:
    """The first item with its waveform turned to zeros, through the collator; None where it holds no waveform."""
    return run_in_fork(lambda: _silence(collate, dataset))


def _silence(collate: Collate, dataset: Any) -> SilentBatch | None:
    item = dataset[0]
    samples, _ = waveform_of(item) if isinstance(item, dict) else (None, None)
    if samples is None:
        return None
    audible, silent = _not_finite(collate([item])), _not_finite(collate([_silenced(item)]))
    found = (SilentBatch(key, *bad) for key, bad in silent.items() if key not in audible)
    return next(found, SilentBatch("", 0, 0))  # what a clip with sound in it has as well is no fault of silence


def _not_finite(batch: Any) -> dict[str, tuple[int, int]]:
    """How many values are NaN or infinite, of how many, by the name of the tensor."""
    values = batch.items() if isinstance(batch, dict) or hasattr(batch, "items") else enumerate(batch)
    floats = {str(key): v for key, v in values if isinstance(v, torch.Tensor) and v.is_floating_point()}
    bad = {key: (int((~torch.isfinite(value)).sum()), value.numel()) for key, value in floats.items()}
    return {key: counts for key, counts in bad.items() if counts[0]}


def _silenced(item: dict[str, Any]) -> dict[str, Any]:
    """A copy whose numbers under the waveform's name are zero."""
    for name, value in item.items():
        samples, _ = waveform_of({name: value})
        if samples is not None:
            if isinstance(value, dict):
                return {**item, name: {**value, "array": value["array"] * 0}}
            return {
                **item,
                name: value * 0 if hasattr(value, "__mul__") and not isinstance(value, list) else samples * 0,
            }
    return item

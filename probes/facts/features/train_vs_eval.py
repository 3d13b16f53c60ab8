"""Training against evaluation: the same items through both collators, and items of both sets, one at a time."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader

from probes.facts.audio.dataset_items import RATES, waveform_of
from probes.facts.core.batch_rows import Collate
from probes.facts.core.batches import copy_batch, tensors_of
from probes.facts.core.fork import run_in_fork
from probes.facts.core.numbers import evenly_spaced
from probes.facts.features.batch_features import features_of, inputs_of_batch
from probes.facts.features.types import Features, Preprocessing, SilentBatch

ITEMS = 16  # of each set: two samples of one kind are fully apart with a chance of 2 in 600 million
FULL_SCALE = 32_768.0  # of 16 bits
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
    widths = {one.width for one in found}
    return Features(found[0].key, widths.pop() if len(widths) == 1 else 0, tuple(one.rows[0] for one in found))


def _gap(items: list[Any], train_fn: Collate, eval_fn: Collate, inputs_of: Any) -> float | None:
    """How far the same items are apart after both collators, over their spread."""
    read = inputs_of or (lambda batch: inputs_of_batch(batch)[1])
    one, again, other = (read(collate(items)).float() for collate in (train_fn, train_fn, eval_fn))
    if one.shape != again.shape or not torch.equal(one, again):
        return None
    if one.dim() != other.dim():
        return float("inf")
    if one.shape != other.shape:  # one of the two pads further than the other
        cut = tuple(slice(0, min(sizes)) for sizes in zip(one.shape, other.shape, strict=True))
        one, other = one[cut], other[cut]
    apart = (one[:, None] - other[None]).abs().flatten(2).mean(-1) if one.dim() > 1 else (one - other).abs()[:, None]
    return float(apart.min(1).values.mean() / one.std().clamp(min=1e-6))  # one of the two may sort its rows


def collate_silence(collate: Collate, dataset: Any) -> SilentBatch | None:
    """The first item with its waveform turned to zeros, through the collator; None where it holds no waveform."""
    return run_in_fork(lambda: _silence(collate, dataset))


def _silence(collate: Collate, dataset: Any) -> SilentBatch | None:
    item = dataset[0]
    samples, _ = waveform_of(item) if isinstance(item, Mapping) else (None, None)
    if samples is None:
        return None
    zeros = _with_samples(item, lambda samples: samples * 0)
    audible, silent = _not_finite(collate([item])), _not_finite(collate([zeros]))
    found = (SilentBatch(key, *bad) for key, bad in silent.items() if key not in audible)
    return next(found, SilentBatch("", 0, 0))  # what a clip with sound in it has as well is no fault of silence


def collate_scaled(collate: Collate, dataset: Any) -> float | None:
    """How far the batch of the first item changes when its samples are divided by 32,768; None: it cannot be told."""
    return run_in_fork(lambda: _scaled_change(collate, dataset[0]))


def _scaled_change(collate: Collate, item: Any) -> float | None:
    samples, _ = waveform_of(item) if isinstance(item, Mapping) else (None, None)
    if samples is None or abs(samples).max() <= FULL_SCALE / 128:
        return None
    one, again, other = (
        inputs_of_batch(collate([copy_batch(one)]))[1].double()
        for one in (item, item, _with_samples(item, lambda samples: (samples / FULL_SCALE).astype("float32")))
    )
    if one.shape != other.shape or not torch.equal(one, again):
        return None
    return float((one - other).abs().max() / other.std(correction=0).clamp(min=1e-12))


def _not_finite(batch: Any) -> dict[str, tuple[int, int]]:
    """How many values are NaN or infinite, of how many, by the name of the tensor."""
    floats = {key: value for key, value in tensors_of(batch) if value.is_floating_point()}
    bad = {key: (int((~torch.isfinite(value)).sum()), value.numel()) for key, value in floats.items()}
    return {key: counts for key, counts in bad.items() if counts[0]}


def _with_samples(item: Mapping[str, Any], change: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
    """A copy with other numbers under the waveform's name, in the same form."""
    for name, value in item.items():
        samples, _ = waveform_of({**{key: item[key] for key in RATES if key in item}, name: value})
        if samples is not None:
            changed: Any = change(samples)
            changed = torch.from_numpy(changed) if isinstance(value, torch.Tensor) else changed
            return {**item, name: {**value, "array": changed} if isinstance(value, Mapping) else changed}
    return dict(item)

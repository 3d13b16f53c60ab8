"""Reads rows of batches beside the items they were made of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from diagnose.engine.context import Unavailable
from diagnose.tensor_values import tensor_values
from probes.facts.audio.dataset_items import stats_of_samples, waveform_of
from probes.facts.core.batch_rows import rows_of, rows_of_batch, select_rows
from probes.facts.core.batches import copy_batch, draw, tensors_of
from probes.facts.core.fork import CannotFork, ChildRaised, run_in_fork
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.require import require
from probes.facts.core.step_setup import LabelsOf
from probes.facts.samples.label_parts import decoder, label_parts
from probes.facts.samples.same_values import differs
from probes.facts.samples.types import Clip, Sample, Samples


@dataclass(frozen=True)
class SampleSource:
    """Where rows come from, and what reads them."""

    batches: Any
    labels_of: LabelsOf
    dataset: Any = None
    collate: Any = None
    tokenizer: Any = None
    decode: Any = None

    def sample(self, batch: Any, row: int, rows: int, where: str) -> Sample:
        one = select_rows(batch, [row], rows)
        tensors = dict(_named_rows(one))
        labels = next(rows_of(labels_or_none(self.labels_of, one)), [])
        ids = tensors["input_ids"].reshape(-1).tolist() if "input_ids" in tensors else []
        decode = decoder(self.tokenizer, self.decode)
        return Sample(
            where=where,
            texts={},
            inputs=tuple(tensor_values(name, value) for name, value in tensors.items()),
            labels=tuple(label_parts(labels, ids, decode)),
            values={name: value.detach().float().cpu().numpy() for name, value in tensors.items() if _is_input(value)},
            input_text=decode(ids) if ids else "",
        )


def read_samples(source: SampleSource, count: int) -> Samples:
    """As many rows as there are in the first batches, up to `count`."""
    drawn = draw(source.batches, 1)
    require(drawn.failure is None, drawn.failure, Unavailable)
    require(drawn.batches, "train_batches returned no batch", Unavailable)
    rows = rows_of_batch(drawn.batches[0], labels_or_none(source.labels_of, drawn.batches[0]))
    if rows < count:
        drawn = draw(source.batches, -(-count // rows))
    found = []
    for number, batch in enumerate(drawn.batches):
        items = drawn.indices[number] if number < len(drawn.indices) else ()
        found += list(_of_batch(source, batch, number, items))
    return _with_second_draw(source, found[:count])


Found = tuple[Sample, int | None, int]  # with the item's number, and the row's place among the rows of one item


def _of_batch(source: SampleSource, batch: Any, number: int, items: Sequence[int]) -> Iterator[Found]:
    rows = rows_of_batch(batch, labels_or_none(source.labels_of, batch))
    times = rows // len(items) if items and rows % len(items) == 0 else 0  # more than 1: a row for each task
    for row in range(rows):
        item = items[row % len(items)] if times else None
        where = f"batch {number}, row {row}" + (f" (item {item})" if item is not None else "")
        yield source.sample(batch, row, rows, where), item, row // len(items) if times else 0


def _with_second_draw(source: SampleSource, found: Sequence[Found]) -> Samples:
    numbers = list(dict.fromkeys(item for _, item, _ in found if item is not None))
    try:
        again, plain = run_in_fork(lambda: _items(source, numbers)) if numbers and source.dataset is not None else _NONE
    except (CannotFork, ChildRaised):
        again, plain = _NONE
    rows = [_completed(sample, again.get(item), plain.get(item), turn) for sample, item, turn in found]
    known = any(sample.values and again[item][2] for sample, item, _ in found if item in again)
    return Samples(tuple(rows), any(row.second_draw for row in rows) if known else None)


Item = tuple[dict[str, str], Clip | None, list[Sample]]  # texts, audio, and its rows with other random numbers
Items = dict[int | None, Item]
_NONE: tuple[Items, Items] = ({}, {})


def _items(source: SampleSource, numbers: Sequence[int]) -> tuple[Items, Items]:
    """Items drawn again, and without augmentation. Runs in a child: loading and collating may draw and count."""
    torch.manual_seed(1)
    np.random.seed(1)
    found: Items = {number: _item(source, number) for number in numbers}
    without = getattr(source.dataset, "without_augmentation", lambda: None)()
    if without is None:
        return found, {}
    plain: Items = {number: _item(replace(source, dataset=without), number) for number in numbers}
    source.dataset.set_epoch(source.dataset.epoch + 1)  # what this dataset draws depends on the epoch alone
    return {number: (*one[:2], _item(source, number or 0)[2]) for number, one in found.items()}, plain


def _item(source: SampleSource, number: int) -> Item:
    item = source.dataset[number]
    named = item if isinstance(item, Mapping) else {}
    texts = {str(key): value for key, value in named.items() if isinstance(value, str) and value}
    samples, rate = waveform_of(named)
    clip = None if samples is None else Clip(stats_of_samples(samples, rate or 16_000), rate, _mono(samples))
    if not callable(source.collate):
        return texts, clip, []
    batch = source.collate([copy_batch(item)])
    rows = rows_of_batch(batch, labels_or_none(source.labels_of, batch))
    return texts, clip, [source.sample(batch, row, rows, "second draw") for row in range(rows)]


def _completed(sample: Sample, item: Item | None, plain: Item | None, turn: int) -> Sample:
    if item is None:
        return sample
    texts, clip, rows = item
    again = rows[turn] if turn < len(rows) else None
    changed = again is not None and differs(sample, again)
    if plain is not None and plain[2][turn:]:
        sample = replace(sample, plain=replace(plain[2][turn], clip=plain[1]))
    return replace(sample, texts=texts, clip=clip, second_draw=again if changed else None)


def _named_rows(one: Any) -> Iterator[tuple[str, torch.Tensor]]:
    for path, value in tensors_of(one, ""):
        name = path.strip("[]'\".") or "batch"
        yield name, value[0] if value.dim() and len(value) == 1 else value


def _is_input(value: torch.Tensor) -> bool:
    return value.dim() in (1, 2) and value.is_floating_point()


def _mono(samples: np.ndarray) -> np.ndarray:
    flat = samples if samples.ndim == 1 else samples.mean(axis=int(samples.shape[0] > samples.shape[1]))
    scale = np.iinfo(samples.dtype).max if samples.dtype.kind in "iu" else 1
    return (flat / scale).astype(np.float32)

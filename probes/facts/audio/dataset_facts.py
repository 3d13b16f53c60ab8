"""Items of the datasets, loaded as the run will load them; and rows made of them where there is no manifest."""

import sys
from typing import Any

from diagnose.common.provider import provider
from probes.facts.audio.types import LoadedItems
from probes.facts.core.require import require, require_items
from probes.facts.corpus.types import Corpus

FEWER = 4  # one item is loaded for so many rows that are looked at: loading resamples and augments, decoding does not


@provider
def train_items(
    train_dataset: Any, data_sample_size: int | str = 256, train_manifest: Corpus | None = None
) -> LoadedItems:
    return _items(train_dataset, "train", data_sample_size, train_manifest)


@provider
def eval_items(
    eval_dataset: Any, data_sample_size: int | str = 256, eval_manifest: Corpus | None = None
) -> LoadedItems:
    return _items(eval_dataset, "eval", data_sample_size, eval_manifest)


@provider(priority=2)
def train_corpus(train_items: LoadedItems) -> Corpus:
    return _corpus(train_items)


@provider(priority=2)
def eval_corpus(eval_items: LoadedItems) -> Corpus:
    return _corpus(eval_items)


def _items(dataset: Any, split: str, size: int | str, manifest: Corpus | None) -> LoadedItems:
    from probes.facts.audio.dataset_items import read_items
    from probes.facts.core.numbers import evenly_spaced
    from probes.facts.corpus.row_sample import choose

    require_items(dataset, f"the {split} set has no length and no items by index: it can only be iterated")
    dataset = getattr(dataset, "without_augmentation", lambda: None)() or dataset  # files are judged as they are
    total, count = len(dataset), sys.maxsize if size == "whole" else max(8, int(size) // FEWER)
    if manifest and len(manifest.rows) == total:
        return LoadedItems(read_items(dataset, choose(manifest.rows, count), split, manifest.rows), total)
    return LoadedItems(read_items(dataset, evenly_spaced(range(total), count), split), total)


def _corpus(items: LoadedItems) -> Corpus:
    rows = tuple(item.row for item in items.rows if not item.error)
    require(any(row.texts or row.tags for row in rows), "the items are not dicts: pass train_rows")
    return Corpus(rows, items.total)

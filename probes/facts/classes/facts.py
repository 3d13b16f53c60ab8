"""Class labels of the training set, and how evenly rows are spread over classes and tasks."""

import sys
from collections import Counter
from dataclasses import replace
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, NotGiven
from probes.facts.batches.types import BatchScan
from probes.facts.classes.types import ClassLabels, ColumnBalance
from probes.facts.core.require import has_items, require
from probes.facts.corpus.types import Corpus

ITEMS = 2000
CLASSES = ("label", "class", "category", "intent", "emotion", "accent")
SOURCES = ("task", "language", "lang", "locale", "domain")


@provider
def class_labels(
    train_dataset: Any = None,
    batch_scan: BatchScan | None = None,
    model: Any = None,
    data_sample_size: int | str = 0,
) -> ClassLabels:
    """Of the items of the training set; where these are not to be had, of the batches that were looked at."""
    from probes.facts.classes.class_labels import head_of

    if train_dataset is None and batch_scan is None:
        raise NotGiven("not given: train_batches or train_dataset")
    found = _of_items(train_dataset, data_sample_size) if has_items(train_dataset) else None
    found = found or (_of_batches(batch_scan) if batch_scan else None)
    if found is None:
        raise NotApplicable("neither items nor batches have a class for each row, under a known key or in pairs")
    head, name = head_of(model)
    return replace(found, head=head, head_name=name)


def _of_items(dataset: Any, sample_size: int | str) -> ClassLabels | None:
    from probes.facts.classes.class_labels import labels_in
    from probes.facts.core.fork import CannotFork, ChildRaised
    from probes.facts.core.numbers import evenly_spaced

    count = sys.maxsize if sample_size == "whole" else ITEMS
    try:
        return labels_in(dataset, evenly_spaced(range(len(dataset)), count))
    except (CannotFork, ChildRaised):
        return None


def _of_batches(scan: BatchScan) -> ClassLabels | None:
    """What is not seen counts as unknown, unless these are all batches of an epoch."""
    from probes.facts.classes.class_labels import count_classes
    from probes.facts.core.numbers import as_array

    rows = len(scan.classes)
    return count_classes(map(as_array, scan.classes), rows if scan.complete else rows + 1)


@provider
def column_balances(train_corpus: Corpus) -> tuple[ColumnBalance, ...]:
    """Columns that name a class or a task, with few values."""
    found = [_balance(train_corpus, column) for column in (*CLASSES, *SOURCES)]
    columns = tuple(balance for balance in found if 2 <= len(balance.counts) <= max(2, len(train_corpus.rows) // 10))
    return require(columns, "no column has a class or a task")


def _balance(corpus: Corpus, column: str) -> ColumnBalance:
    from probes.facts.corpus.manifest_rows import tags_of

    counts = Counter(filter(None, tags_of(corpus.rows, column)))
    return ColumnBalance(column, dict(counts.most_common()), column in CLASSES)

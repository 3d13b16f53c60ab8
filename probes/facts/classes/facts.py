"""Class labels of the training set, and how evenly rows are spread over classes and tasks."""

import sys
from collections import Counter
from dataclasses import replace
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.classes.types import ClassLabels, ColumnBalance
from probes.facts.core.require import require, require_items
from probes.facts.corpus.types import Corpus

ITEMS = 2000
CLASSES = ("label", "class", "category", "intent", "emotion", "accent")
SOURCES = ("task", "language", "lang", "locale", "domain")


@provider
def class_labels(train_dataset: Any, model: Any = None, data_sample_size: int | str = 0) -> ClassLabels:
    from probes.facts.classes.class_labels import head_of, labels_in
    from probes.facts.core.fork import CannotFork, ChildRaised
    from probes.facts.core.numbers import evenly_spaced

    require_items(train_dataset, "the training set has no length and no items by number")
    count = sys.maxsize if data_sample_size == "whole" else ITEMS
    try:
        found = labels_in(train_dataset, evenly_spaced(range(len(train_dataset)), count))
    except (CannotFork, ChildRaised) as reason:
        raise NotApplicable(f"the items could not be read: {reason}") from reason
    found = require(found, "the items hold no class under a name that is known, and are no pairs")
    head, name = head_of(model)
    return replace(found, head=head, head_name=name)


@provider
def column_balances(train_corpus: Corpus) -> tuple[ColumnBalance, ...]:
    """Columns that name a class or a task, with few values."""
    found = [_balance(train_corpus, column) for column in (*CLASSES, *SOURCES)]
    columns = tuple(balance for balance in found if 2 <= len(balance.counts) <= max(2, len(train_corpus.rows) // 10))
    return require(columns, "no column names a class or a task")


def _balance(corpus: Corpus, column: str) -> ColumnBalance:
    counts = Counter(row.tags[column] for row in corpus.rows if row.tags.get(column))
    return ColumnBalance(column, dict(counts.most_common()), column in CLASSES)

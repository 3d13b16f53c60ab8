"""Reads inputs and targets of consecutive rows, in stretches from the first row to the last."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import Collate, input_of
from probes.facts.core.batches import rebuild_loader
from probes.facts.core.fork import CannotFork, ChildRaised, run_in_fork
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import LabelsOf
from probes.facts.core.torch_ops import iter_leaves
from probes.facts.pairing.count_features import Values, are_audio, inputs_as_counts, lengths_of, targets_as_counts
from probes.facts.pairing.label_columns import find_label_columns
from probes.facts.pairing.permutation_tests import correlation, ranks
from probes.facts.pairing.tag_counts import are_tags
from probes.facts.pairing.types import LabelColumns

STRETCHES, LENGTH = 4, 100  # 400 rows in all, with which right pairs of the demo stand out by more than 40 sigmas
VECTORS = 300  # rows of a stretch of plain vectors, which cost little
BATCHED = 1200  # rows of batches: with these a relation of a tenth of the variance stands out, too
KINDS = 4  # targets of one item at most: transcript, translation …
VARY = 0.1  # standard deviation over mean; below, lengths tell nothing
Pair = tuple[np.ndarray, np.ndarray]


class CannotRead(NotApplicable):
    """There is nothing to compare."""


@dataclass(frozen=True)
class TargetKind:
    """One kind of target beside its inputs, as rows of numbers."""

    inputs: np.ndarray
    targets: np.ndarray
    is_speech: bool = False  # frames or samples in, several tokens out
    lengths: float | None = None  # rank correlation of lengths, where both vary
    first: int | None = None  # the token that every target begins with
    tags: tuple[Values, Values] | None = None  # tokens and their classes
    texts: tuple[Values, Values] | None = None  # tokens in, other tokens out
    columns: LabelColumns | None = None  # of features


@dataclass(frozen=True)
class PairRows:
    """`stretches` says in which stretch of consecutive rows each one is, `numbers` which row of the data it is."""

    kinds: tuple[TargetKind, ...]
    numbers: tuple[int, ...]
    stretches: tuple[int, ...]
    consumed: str = ""


def read(work: Callable[[], PairRows], others: tuple[Any, ...]) -> PairRows:
    """In a child, since loading and collating may draw at random and count; and what was used up, if there is none."""
    try:
        return run_in_fork(work)
    except ChildRaised as reason:
        raise CannotRead(f"rows cannot be read: {reason}") from reason
    except CannotFork as reason:
        with restore_afterwards(others=others):
            return replace(work(), consumed=f"rows were read in the training process itself, because {reason}")


def from_items(dataset: Any, collate: Collate, labels_of: LabelsOf, inputs_of: LabelsOf | None) -> PairRows:
    """Each item collated alone: all that it is made into (a transcript and a translation, say) is known to be its."""
    found = []
    first = next(_pairs(collate([dataset[0]]), labels_of, inputs_of), None) if len(dataset) else None
    length = VECTORS if first and first[0].dtype.kind == "f" and not are_audio([first[0]]) else LENGTH
    for stretch, number in places(len(dataset), length):
        found.append((stretch, number, list(_pairs(collate([dataset[number]]), labels_of, inputs_of))))
    found.sort(key=lambda one: one[:2])
    count = min((len(pairs) for _, _, pairs in found), default=0)
    kinds = [[pairs[kind] for _, _, pairs in found] for kind in range(min(count, KINDS))]
    return _counted(kinds, [number for _, number, _ in found], [stretch for stretch, _, _ in found])


def from_batches(batches: Any, labels_of: LabelsOf, inputs_of: LabelsOf | None) -> PairRows:
    """Rows as the loader gives them, in its own order."""
    pairs: list[Pair] = []
    for batch in rebuild_loader(batches)[0]:
        pairs += list(_pairs(batch, labels_of, inputs_of))
        if len(pairs) >= BATCHED:
            break
    numbers = list(range(len(pairs)))
    return _counted([pairs], numbers, [number * STRETCHES // max(1, len(pairs)) for number in numbers])


def places(total: int, length: int = LENGTH) -> list[tuple[int, int]]:
    """(stretch, row) of so many rows in a row, at equal distances."""
    length = min(length, total // STRETCHES)
    starts = [round(k * (total - length) / (STRETCHES - 1)) for k in range(STRETCHES)]
    return [(stretch, start + step) for step in range(length) for stretch, start in enumerate(starts)]


def _pairs(batch: Any, labels_of: LabelsOf, inputs_of: LabelsOf | None) -> Iterator[Pair]:
    labels = labels_of(batch)
    inputs = next(iter_leaves(inputs_of(batch)), None) if inputs_of else (input_of(batch) or (None, None))[1]
    if isinstance(labels, torch.Tensor) and labels.dim() and inputs is not None and len(inputs) == len(labels):
        yield from ((_plain(one), _plain(target)) for one, target in zip(inputs, labels, strict=True))


def _plain(value: torch.Tensor) -> np.ndarray:
    value = value.detach().cpu()
    return (value.float() if value.is_floating_point() else value.long()).numpy().copy()


def _counted(kinds: list[list[Pair]], numbers: list[int], stretches: list[int]) -> PairRows:
    if not kinds or not numbers:
        raise CannotRead("the batches cannot be split into inputs and targets")
    return PairRows(tuple(_kind(*zip(*pairs, strict=True)) for pairs in kinds), tuple(numbers), tuple(stretches))


def _kind(inputs: Values, targets: Values) -> TargetKind:
    several = targets[0].dtype.kind in "iu" and targets[0].ndim == 1
    is_speech = are_audio(inputs) and several
    firsts = {int(target[0]) for target in targets} if several and all(map(len, targets)) else set()
    lengths = _lengths(lengths_of(inputs), lengths_of(targets)) if is_speech else None
    first = firsts.pop() if len(firsts) == 1 else None
    tags = (inputs, targets) if are_tags(inputs, targets) else None
    texts = (inputs, targets) if several and tags is None and inputs[0].dtype.kind in "iu" else None
    counts = inputs_as_counts(inputs), targets_as_counts(targets)
    return TargetKind(*counts, is_speech, lengths, first, tags, texts, find_label_columns(inputs, targets))


def _lengths(x: np.ndarray, y: np.ndarray) -> float | None:
    vary = x.std() > VARY * x.mean() and y.std() > VARY * y.mean()
    return correlation(ranks(x), ranks(y)) if vary else None

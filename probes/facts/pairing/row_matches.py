"""Which row's input does each row of labels fit, position by position? In language models the labels are the input."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from probes.facts.core.batch_rows import input_of
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.step_setup import LabelsOf
from probes.facts.pairing.types import RowMatches

ROWS = 64  # of a batch at most: every row is compared with every other
TOKENS = 4  # the most frequent ones of the input: padding and a mask token are among them
CERTAIN = 1e-5  # the chance that rows which fit no row choose so many different ones; seven tables are tried
SHIFTS = (0, 1, -1)  # of the labels against the input
CAUSAL = ("ForCausalLM", "GPT2LMHeadModel")  # other models with a language model's head fill in masks
HALF = 0.5  # of the scored labels; right ones are all in the input, a few changed on purpose apart
Tables = dict[str, np.ndarray]


def match_rows(batches: Sequence[Any], labels_of: LabelsOf) -> RowMatches | None:
    """The first comparison in which the rows of labels choose different rows of input; None where there is none."""
    found = [tables for batch in batches if (tables := _tables(input_of(batch), labels_or_none(labels_of, batch)))]
    for name in found[0] if found else ():
        chosen = [_chosen(tables[name]) for tables in found if name in tables]
        chance = _chance([(len(one), len(set(one) - {None})) for one in chosen])
        if chance <= CERTAIN:
            return _matches(name, chosen, chance)
    return None


def labels_of_no_row(batches: Sequence[Any], labels_of: LabelsOf, model: Any) -> RowMatches | None:
    """A causal language model learns its own input: that its labels are hardly ever the token at their place."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    if not type(inner).__name__.endswith(CAUSAL):
        return None
    found = [table for batch in batches if (table := _tables(input_of(batch), labels_or_none(labels_of, batch)))]
    shares = [[float(np.diag(one[name]).mean()) for name in list(one)[: len(SHIFTS)]] for one in found]
    best = max(np.mean(shares, axis=0), default=1.0) if shares else 1.0
    rows = sum(len(next(iter(one.values()))) for one in found)
    return RowMatches("tokens at places", len(found), rows, rows, 0.0, share=float(best)) if best < HALF else None


def _matches(name: str, chosen: Sequence[list[int | None]], chance: float) -> RowMatches | None:
    rows = [(batch, row, other) for batch, choices in enumerate(chosen) for row, other in enumerate(choices)]
    own = sum(row == other for _, row, other in rows)
    moved = [(batch, row, other) for batch, row, other in rows if other is not None and row != other]
    if own >= len(moved):
        return RowMatches(name, len(chosen), len(rows), 0, chance)
    return RowMatches(name, len(chosen), len(rows), len(moved), chance, moved[0])


def _chosen(table: np.ndarray) -> list[int | None]:
    """For each row of labels the row whose input fits best; None where two fit alike."""
    unique = (table >= table.max(1, keepdims=True) - 1e-9).sum(1) == 1
    return [int(best) if alone else None for best, alone in zip(table.argmax(1), unique, strict=True)]


def _chance(counts: Sequence[tuple[int, int]]) -> float:
    """That at least so many different rows are chosen in all, if every row of labels chose blindly.

    Inputs that attract many rows make it less, never more.
    """
    total = np.ones(1)
    for rows, _ in counts:
        known = np.eye(1, rows + 1)[0]  # known[k]: the chance of k different choices so far
        for _ in range(rows):
            places = np.arange(rows + 1)
            known = known * places / rows + np.roll(known * (rows - places) / rows, 1)
        total = np.convolve(total, known)
    return float(total[sum(different for _, different in counts) :].sum())


def _tables(read: tuple[str, torch.Tensor] | None, labels: Any) -> Tables:
    """[row of labels, row of input]: how well they fit; whole numbers with one place for each only."""
    if read is None or not isinstance(labels, torch.Tensor) or labels.dim() != 2 or labels.shape != read[1].shape:
        return {}
    if labels.is_floating_point() or read[1].is_floating_point():
        return {}
    inputs, targets = read[1][:ROWS].cpu().numpy(), labels[:ROWS].cpu().numpy()
    return dict(_equal(inputs, targets)) | dict(_marked(inputs, targets >= 0))


def _equal(inputs: np.ndarray, targets: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The share of scored labels that are the token at their place, the next or the one before."""
    for shift in SHIFTS:
        moved = np.roll(inputs, -shift, axis=1)
        scored = targets >= 0
        equal = ((targets[:, None] == moved[None]) & scored[:, None]).sum(-1)
        yield f"tokens at positions {shift:+d}", equal / np.maximum(scored.sum(1, keepdims=True), 1)


def _marked(inputs: np.ndarray, scored: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """How closely scored places go with the places of one token: a masked model scores where its mask token is."""
    counts: Mapping[int, int] = dict(zip(*np.unique(inputs, return_counts=True), strict=True))
    for number, token in enumerate(sorted(counts, key=lambda one: -counts[one])[:TOKENS]):
        yield f"token {number}", np.abs(_correlations(scored.astype(float), (inputs == token).astype(float)))


def _correlations(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    a, b = (rows - rows.mean(1, keepdims=True) for rows in (left, right))
    sizes = np.sqrt((a**2).sum(1))[:, None] * np.sqrt((b**2).sum(1))[None]
    return np.asarray(np.where(sizes > 0, a @ b.T / np.maximum(sizes, 1e-12), 0.0))

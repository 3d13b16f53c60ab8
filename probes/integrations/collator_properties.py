"""`diagnose.collator_properties`: what holds for every collator, tried on many selections of a user's own rows."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch

from diagnose.common.errors import InputError
from diagnose.engine.seeding import seeded
from probes.facts.core.batches import tensors_of
from probes.facts.core.step_setup import labels_of_batch

MASKED, LARGEST = -100, 6  # rows of a batch: order, padding and neighbors show in a few
Tensors = dict[str, torch.Tensor]


def collator_properties(
    collate: Callable[[list[Any]], Any], rows: Sequence[Any], *, random: bool = False, examples: int = 60
) -> None:
    """Raises AssertionError, with the smallest selection of rows that shows it, unless the collator

    - leaves its rows as they were,
    - makes one entry of each row, in the order given, with the same dtypes for every batch,
    - gives a row the same values beside longer rows as alone, and fills the rest with one value,
    - fills labels with -100 and attention masks with 0.

        def test_my_collator():
            diagnose.collator_properties(my_collate, rows[:50])

    `random=True` for a collator that draws, such as one that masks words: values are not compared then. Needs
    hypothesis: pip install gonogo[properties].
    """
    try:
        from hypothesis import given, settings
        from hypothesis import strategies as some
    except ImportError as reason:
        raise InputError("collator_properties needs hypothesis: pip install gonogo[properties]") from reason
    if not len(rows):
        raise InputError("collator_properties: rows is empty, expected some rows of the training set")
    selections = some.lists(some.integers(0, len(rows) - 1), min_size=1, max_size=LARGEST)

    @settings(max_examples=examples, deadline=None, derandomize=True, database=None)
    @given(selections)
    def holds(selection: list[int]) -> None:
        check_selection(collate, [rows[number] for number in selection], random)

    holds()


def check_selection(collate: Callable[[list[Any]], Any], items: list[Any], random: bool = False) -> None:
    """The properties for one batch."""
    batch = _unchanged(collate, items)
    tensors, labels = dict(tensors_of(batch)), labels_of_batch(batch)
    assert tensors, f"the collator returned {type(batch).__name__} without a tensor"
    per_row = {name: tensor for name, tensor in tensors.items() if tensor.dim()}
    for name, tensor in per_row.items():
        assert len(tensor) == len(items), f"{name} has {len(tensor)} rows, expected {len(items)}"
    for number, item in enumerate(items):
        alone = dict(tensors_of(_unchanged(collate, [item])))
        for name, tensor in per_row.items():
            expected = MASKED if tensor is labels else 0 if "mask" in name else None
            assert name in alone, f"{name} is missing when row {number} is alone"
            _compare(f"{name}, row {number}", tensor[number], alone[name], expected, random)


def _unchanged(collate: Callable[[list[Any]], Any], items: list[Any]) -> Any:
    """The batch; each call has the same random numbers."""
    given = copy.deepcopy(items)
    with seeded("collator_properties"):
        batch = collate(items)
    same = len(given) == len(items) and all(map(_same, given, items))
    assert same, "the collator changed the rows that it was given: an epoch later they differ"
    return batch


def _same(one: Any, other: Any) -> bool:
    a, b = dict(tensors_of(one)), dict(tensors_of(other))
    if a.keys() != b.keys() or not all(torch.equal(a[name], b[name]) for name in a):
        return False
    return bool(a) or repr(one) == repr(other)


def _compare(where: str, row: torch.Tensor, alone: torch.Tensor, filled: float | None, random: bool) -> None:
    assert row.dtype == alone.dtype, f"{where} is {row.dtype} in this batch and {alone.dtype} alone"
    assert len(alone) == 1, f"{where}: alone it becomes {len(alone)} rows"
    alone = alone[0]
    shapes = f"{list(row.shape)} in the batch, {list(alone.shape)} alone"
    fits = row.dim() == alone.dim() and all(n >= k for n, k in zip(row.shape, alone.shape, strict=True))
    assert fits, f"{where} is cut: {shapes}"
    if random:
        return
    ways = [_split(row, alone, left) for left in (False, True)]
    own, rest = next(((own, rest) for own, rest in ways if _equal(own, alone)), ways[0])
    assert _equal(own, alone), f"{where} has other values in this batch than alone ({shapes})"
    if rest.numel():
        value = rest[0].item()
        assert bool((rest == rest[0]).all()), (
            f"{where} is padded with several values, from {rest.min()} to {rest.max()}"
        )
        assert filled is None or value == filled, f"{where} is padded with {value}, expected {filled}"


def _split(row: torch.Tensor, alone: torch.Tensor, left: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """The part that the row fills by itself, at one end of every dimension, and all else."""
    pairs = zip(row.shape, alone.shape, strict=True)
    part = tuple(slice(n - k, n) if left else slice(0, k) for n, k in pairs)
    outside = torch.ones(row.shape, dtype=torch.bool, device=row.device)
    outside[part] = False
    return row[part], row[outside]


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True) if a.is_floating_point() else torch.equal(a, b)

"""collator_properties: silent for healthy collators, and one broken collator for each property."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

import diagnose
from diagnose.common.errors import InputError
from probes.healthy import healthy

ROWS = [{"ids": list(range(4, 4 + length)), "target": list(range(5, 5 + length))} for length in (3, 5, 2, 7, 4)]


def padded(items: list[Any], name: str, value: float, left: bool = False) -> torch.Tensor:
    rows = [torch.tensor(item[name]) for item in items]
    return pad_sequence(rows, True, value, "left" if left else "right")


def collate(items: list[Any], left: bool = False, **changes: Any) -> dict[str, torch.Tensor]:
    ids = padded(items, "ids", 0, left)
    batch = {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": padded(items, "target", -100, left)}
    return batch | {name: change(items) for name, change in changes.items()}


def changed(items: list[Any]) -> dict[str, torch.Tensor]:
    for item in items:
        item["target"].append(1)
    return collate(items)


BROKEN = {
    "changed the rows": changed,
    "padded with 0, expected -100": lambda items: collate(items, labels=lambda rows: padded(rows, "target", 0)),
    "padded with 1, expected 0": lambda items: collate(items, attention_mask=lambda rows: torch.ones(
        len(rows), max(len(row["ids"]) for row in rows), dtype=torch.long)),
    "has other values in this batch": lambda items: collate(sorted(items, key=lambda row: len(row["ids"]))),
    "rows, expected": lambda items: collate(items[:3]),
    "is cut": lambda items: {
        name: value[:, : min(len(row["ids"]) for row in items)] for name, value in collate(items).items()
    },
    "alone": lambda items: collate(items, input_ids=lambda rows: padded(rows, "ids", 0).to(
        torch.float32 if len(rows) == 1 else torch.long)),
}  # fmt: skip


@pytest.mark.parametrize("left", [False, True])
def test_a_collator_that_pads_on_either_side_has_the_properties(left: bool) -> None:
    diagnose.collator_properties(lambda items: collate(items, left), ROWS)


@pytest.mark.parametrize("name", ["whisper", "mt5", "classifier"])
def test_our_collators_have_the_properties(name: str) -> None:
    facts = healthy(name)
    rows = [facts["train_dataset"][number] for number in range(6)]
    diagnose.collator_properties(facts["collate"], rows, examples=10)


@pytest.mark.parametrize("told", BROKEN)
def test_a_broken_collator_is_told_by_its_property(told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        diagnose.collator_properties(BROKEN[told], ROWS)


def test_a_collator_that_draws_is_compared_by_shapes_alone() -> None:
    def drawn(items: list[Any]) -> dict[str, torch.Tensor]:
        batch = collate(items)
        masked = torch.rand(batch["labels"].shape) < 0.5
        return batch | {"labels": batch["labels"].masked_fill(masked, -100)}

    diagnose.collator_properties(drawn, ROWS, random=True)
    with pytest.raises(AssertionError, match="labels"):
        diagnose.collator_properties(drawn, ROWS)


def test_no_rows_are_refused() -> None:
    with pytest.raises(InputError, match="rows is empty"):
        diagnose.collator_properties(collate, [])

"""Many batches are looked at, and those that stand out are run."""

from collections import UserDict, namedtuple
from dataclasses import dataclass

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import diagnose
from probes.facts.batches.scan import BATCHES, bad_values, scan
from probes.facts.core.batch_rows import input_of, rows_of, rows_of_batch, select_rows
from probes.facts.core.step_setup import labels_of_batch

Pair = namedtuple("Pair", ("x", "labels"))


@dataclass(frozen=True)
class Rows:
    x: torch.Tensor
    labels: torch.Tensor


def facts(rows=200, bad=None, **loader):
    x = torch.randn(rows, 6)
    labels = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
    if bad is not None:
        x[bad, 2] = float("nan")
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
    return {
        "model": model,
        "train_batches": DataLoader(TensorDataset(x, labels), **{"batch_size": 8, "shuffle": True, **loader}),
        "compute_loss": lambda model, batch: nn.functional.cross_entropy(model(batch[0]), batch[1]),
        "optimizer": torch.optim.Adam(model.parameters(), lr=1e-2),
    }


def found(given):
    return {f.probe: f for f in diagnose.preflight(select=["DAT*", "LOS*"], **given).findings}


def test_a_nan_in_a_later_batch_is_named_with_batch_key_row_and_item():
    where = found(facts(bad=150))["LOS050"].where
    assert where.startswith("batch ") and "batch[0], row" in where and "train_dataset[150]" in where


def test_a_nan_beyond_the_batches_that_are_drawn_is_found_among_the_items():
    assert "train_dataset[1500]" in found(facts(rows=4000, bad=1500))["LOS050"].where


def test_a_nan_that_the_loss_leaves_out_is_no_fault():
    given = facts(bad=150)
    given["compute_loss"] = lambda model, batch: nn.functional.cross_entropy(model(batch[0].nan_to_num()), batch[1])
    assert not found(given)


def test_a_batch_of_one_row_before_batch_norm_is_found():
    given = facts(rows=41)
    given["model"] = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3))
    given["optimizer"] = torch.optim.Adam(given["model"].parameters(), lr=1e-2)
    finding = found(given)["LOS017"]
    assert finding.where.startswith("batch 5") and "drop the last batch" in finding.fix


def test_a_loader_that_raises_later_is_found():
    class Breaks(TensorDataset):
        def __getitem__(self, index):
            assert index != 77, "this row is broken"
            return super().__getitem__(index)

    given = facts()
    given["train_batches"] = DataLoader(Breaks(*given["train_batches"].dataset.tensors), batch_size=8)
    assert "after 9 batches" in found(given)["DAT003"].message


def test_an_iterator_keeps_all_its_batches():
    given = facts()
    given["train_batches"] = iter(list(given["train_batches"]))
    assert set(found(given)) == {"DAT056"}
    assert len(list(given["train_batches"])) == 25


def test_the_scan_is_bounded_in_batches_and_bytes():
    many = scan([{"x": torch.zeros(2)} for _ in range(BATCHES + 9)])
    assert (many.batches, many.complete) == (BATCHES, False)
    assert scan([{"x": torch.zeros(2**27)}] * 4).batches == 1


def test_a_mask_of_minus_infinity_is_fine():
    assert not bad_values({"mask": torch.tensor([[0.0, float("-inf")]])})
    assert bad_values({"x": torch.tensor([[1.0, float("-inf")]])})[0].row == 0


@pytest.mark.parametrize("kind", [dict, UserDict, lambda named: Pair(**named), lambda named: Rows(**named)])
def test_rows_of_every_kind_of_batch(kind):
    batch = kind({"x": torch.arange(12.0).view(4, 3), "labels": torch.arange(4)})
    labels = labels_of_batch(batch)
    assert rows_of_batch(batch, labels) == 4 and input_of(batch)[0] == "x"
    cut = select_rows(batch, [2, 0], 4)
    assert type(cut) is type(batch) and labels_of_batch(cut).tolist() == [2, 0]
    assert labels.tolist() == [0, 1, 2, 3]


def test_a_tensor_alone_is_a_batch():
    assert rows_of_batch(torch.zeros(4, 3), None) == 4 and select_rows(torch.zeros(4, 3), [1], 4).shape == (1, 3)


def test_labels_of_texts_have_no_rows_and_lists_of_unequal_length_do():
    assert list(rows_of(["one", "two"])) == []
    assert list(rows_of([[1, 2], [3]])) == [[1, 2], [3]] and list(rows_of([1, 2])) == [[1], [2]]
    assert list(rows_of([torch.tensor([1, 2]), torch.tensor([3])])) == [[1, 2], [3]]

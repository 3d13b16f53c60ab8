"""A column that holds the label is told; features that only tell much of it are not."""

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import diagnose


def told(x, y):
    batches = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
    return [finding.where for finding in diagnose.preflight(select=["DAT058"], train_batches=batches).findings]


def table(seed, classes=3, rows=120, width=10):
    torch.manual_seed(seed)
    return torch.randn(rows, width), torch.randint(0, classes, (rows,))


def copied(x, y):
    x[:, 4] = y.float()


def encoded(x, y):
    x[:, 4] = torch.tensor([0.3, -1.0, 2.0])[y]


def one_hot(x, y):
    x[:, 4:7] = torch.eye(3)[y]


@pytest.mark.parametrize("leak", [copied, encoded, one_hot])
def test_the_class_in_another_form_is_told_with_its_columns(leak):
    x, y = table(0)
    leak(x, y)
    (where,) = told(x, y)
    assert "4" in where


def test_a_number_that_is_the_label_scaled_is_told_and_a_close_one_is_not():
    x, _ = table(1)
    y = x[:, :3].sum(1, keepdim=True) + torch.randn(120, 1)
    assert not told(x, y)
    x[:, 8] = 2 * y[:, 0] + 5
    assert told(x, y) == ["column 8 of the inputs"]
    x[:, 8] += 0.01 * torch.randn(120)
    assert not told(x, y)


@pytest.mark.parametrize("seed", range(10))
def test_features_that_separate_the_classes_are_no_leak(seed):
    x, y = table(seed)
    assert not told(x, y)
    x[:, :3] += 20 * torch.eye(3)[y]  # clouds far apart
    assert not told(x, y)
    assert not told(x, (x[:, 0] > 0).long())  # a rule on one feature
    assert not told(torch.eye(3)[y], y)  # nothing but the label: a task for trying things out
    x[:, 9] = (y == 1).float()  # a feature that decides one class alone
    assert not told(x, y)

"""Class labels are read from batches where there is no dataset with items by number."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import diagnose


def found(labels, loss=cross_entropy):
    batches = [{"x": torch.randn(8, 4), "labels": part} for part in labels.split(8)]
    facts = {"model": nn.Linear(4, 3), "compute_loss": lambda m, b: loss(m(b["x"]), b["labels"])}
    report = diagnose.preflight(select=["DAT041", "DAT042", "DAT043"], train_batches=batches, **facts)
    return [finding.probe for finding in report.findings], {outcome.status for outcome in report.outcomes}


def test_classes_from_one_are_found():
    assert found(torch.arange(80) % 3 + 1)[0] == ["DAT043"]


def test_one_hot_classes_are_found():
    assert found(torch.eye(3, dtype=torch.long)[torch.arange(80) % 3])[0] == ["DAT042"]


def test_a_class_that_rules_is_found():
    assert found((torch.arange(80) == 7).long())[0] == ["DAT041"]


def test_even_classes_are_fine_and_numbers_are_no_classes():
    assert found(torch.arange(80) % 3) == ([], {"passed"})
    assert found(torch.randn(80, 3), nn.functional.mse_loss) == ([], {"skipped"})

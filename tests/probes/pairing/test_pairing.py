"""Do targets belong to their inputs? Right pairs pass, slipped ones are named, nobody is accused without evidence."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Subset, TensorDataset

import diagnose
from diagnose import Severity
from diagnose.engine.engine import installed
from probes.facts.core.batch_rows import rows_of
from probes.facts.pairing.count_features import inputs_as_counts, targets_as_counts
from probes.facts.pairing.facts import _name
from probes.facts.pairing.held_out_test import run_pair_tests
from probes.facts.pairing.read_pairs import TargetKind, places
from probes.facts.pairing.types import PairTest, PairTests
from probes.healthy import NAMES, healthy
from probes.learning.targets_are_misaligned_with_inputs import targets_are_misaligned_with_inputs
from tests.support.state_picture import picture


def related(seed=0, rows=200, noise=1.0):
    """Targets that follow their inputs, as rows of numbers."""
    chance = np.random.default_rng(seed)
    inputs = chance.normal(size=(rows, 8))
    return inputs, inputs @ chance.normal(size=(8, 6)) + noise * chance.normal(size=(rows, 6))


def judged(inputs, targets, is_speech=False, lengths=None):
    stretches = [number * 4 // len(inputs) for number in range(len(inputs))]
    kind = TargetKind(inputs, targets, is_speech, lengths)
    train = tuple(run_pair_tests(kind, stretches, range(len(inputs)), "train_dataset"))
    return train, [f.message for f in targets_are_misaligned_with_inputs(PairTests(train))]


@pytest.mark.parametrize("seed", range(10))
def test_right_pairs_pass_and_slipped_ones_are_named_with_their_shift(seed):
    inputs, targets = related(seed)
    train, said = judged(inputs, targets)
    assert train[0].p_value <= 1e-3 and not said
    for shift in (1, -2):
        train, said = judged(inputs, np.roll(targets, shift, axis=0))
        assert train[0].shift == shift and f"shifted by {shift:+d} rows" in said[0]


@pytest.mark.parametrize("seed", range(10))
def test_unrelated_rows_accuse_nobody(seed):
    chance = np.random.default_rng(seed)
    _, said = judged(chance.normal(size=(200, 8)), chance.normal(size=(200, 6)))
    assert not said


def test_a_stretch_that_slipped_is_named_and_its_neighbours_are_not():
    inputs, targets = related()
    targets[150:] = np.roll(targets[150:], -1, axis=0)
    (finding,) = targets_are_misaligned_with_inputs(PairTests(judged(inputs, targets)[0]))
    assert finding.where == "train_dataset, rows 150 to 199" and "shifted by -1 rows" in finding.message


def test_a_stretch_dealt_out_at_random_is_named_by_the_others():
    inputs, targets = related()
    targets[:50] = np.random.default_rng(1).permutation(targets[:50])
    (finding,) = targets_are_misaligned_with_inputs(PairTests(judged(inputs, targets)[0]))
    assert finding.where == "train_dataset, rows 0 to 49" and "has z = " in finding.message


def test_the_next_input_may_tell_more_of_a_target_than_its_own():
    """A forecast: the value that follows a window is in the next window."""
    values = np.cumsum(np.random.default_rng(0).normal(size=220))
    inputs = np.stack([values[start : start + 8] for start in range(200)])
    assert not judged(inputs, values[8:208, None])[1]


def test_wrong_pairs_need_evidence_that_right_ones_would_be_seen():
    lone = PairTest("train_dataset", 400, p_value=0.4, z_score=0.2)
    right = PairTest("the evaluation set", 150, p_value=1e-4, z_score=22.0)
    assert not list(targets_are_misaligned_with_inputs(PairTests((lone,))))
    (finding,) = targets_are_misaligned_with_inputs(PairTests((lone,), (right,)))
    assert "the evaluation set has z = 22.0 with 150 rows" in finding.message
    speech = PairTest("train_dataset", 400, p_value=0.4, z_score=0.2, is_speech=True, lengths=0.01)
    (finding,) = targets_are_misaligned_with_inputs(PairTests((speech,)))
    assert "input and target lengths is 0.01" in finding.message


def test_rows_are_read_in_stretches_from_the_first_to_the_last():
    rows = places(1200)
    assert len(rows) == 400 and {stretch for stretch, _ in rows} == {0, 1, 2, 3}
    assert min(row for _, row in rows) == 0 and max(row for _, row in rows) == 1199
    assert sorted(row for _, row in places(36)) == list(range(36))


def test_padding_of_inputs_and_of_targets_is_not_counted():
    tone = np.random.default_rng(0).normal(size=(50, 4))
    long = [np.concatenate([tone * scale, np.zeros((70, 4))]) for scale in (1.0, 2.0, 3.0)]
    short = [value[:51] for value in long]
    assert np.array_equal(inputs_as_counts(long), inputs_as_counts(short))
    padded, bare = [np.array([3, 4, -100, -100])] * 3, [np.array([3, 4])] * 3
    assert np.array_equal(targets_as_counts(padded), targets_as_counts(bare))


@pytest.mark.parametrize("name", NAMES)
def test_a_healthy_subject_passes_before_any_training(name):
    report = diagnose.preflight(select=["LRN03*"], **healthy(name))
    assert report.verdict == "go" and not report.findings
    assert [outcome.status for outcome in report.outcomes] == ["passed", "passed", "skipped", "skipped"]


@pytest.mark.parametrize("name", ["hybrid", "classifier"])
def test_the_model_is_left_as_it_was_after_a_short_training(name):
    facts = healthy(name)
    if name == "classifier":  # random scores may prefer the right pairs by luck, and then nothing is trained
        torch.nn.init.zeros_(facts["model"][-1].weight)
    parts = (facts["model"], facts["optimizer"])
    before = picture(*parts)
    losses = installed().context({**facts, "pairs_requested": True}).get("swapped_target_loss")
    assert losses.rows >= 8 and losses.updates and 0 < losses.p_value <= 1
    assert picture(*parts) == before


def test_a_reordered_set_passes():
    facts = healthy("mt5")
    order = random.Random(0).sample(range(len(facts["train_dataset"])), len(facts["train_dataset"]))
    facts["train_dataset"] = Subset(facts["train_dataset"], order)
    report = diagnose.preflight(select=["LRN03*"], **facts)
    assert report.verdict == "go" and not report.findings


def batches(count=20, right=True):
    torch.manual_seed(0)
    inputs = [torch.randn(8, 12) for _ in range(count)]
    return [(x, x[:, :5].argmax(1) if right else torch.randint(0, 5, (8,))) for x in inputs]


def classified(model, batch):
    return torch.nn.functional.cross_entropy(model(batch[0]), batch[1])


def test_the_model_itself_is_asked_when_the_teacher_sees_nothing_and_only_notes_are_made_of_little():
    facts = {"model": torch.nn.Linear(12, 5), "compute_loss": classified}
    report = diagnose.preflight(select=["LRN03*"], train_batches=batches(right=False), **facts)
    assert report.exit_code == 0 and {f.severity for f in report.findings} <= {Severity.NOTE, Severity.WARNING}
    assert "LRN031" in {f.probe for f in report.findings}
    skipped = diagnose.preflight(select=["LRN032"], train_batches=batches(), **facts).outcomes[0]
    assert skipped.status == "skipped" and "--pairs" in skipped.reason


def shuffled_run(seed, rows, right):
    """Classes that no linear model foretells; wrong ones belong to other rows."""
    torch.manual_seed(seed)
    x = torch.randn(rows, 12)
    y = ((x[:, 0] > 0) ^ (x[:, 1] > 0)).long()
    y = y if right else y[torch.randperm(rows)]
    model = torch.nn.Sequential(torch.nn.Linear(12, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    return {"model": model, "compute_loss": classified, "train_batches": loader}


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_targets_are_told_and_right_ones_that_only_the_model_learns_are_not(seed):
    right = diagnose.preflight(select=["LRN03*"], **shuffled_run(seed, 512, right=True))
    assert not right.findings
    wrong = diagnose.preflight(select=["LRN032"], **shuffled_run(seed, 512, right=False))
    (found,) = wrong.findings
    assert found.severity is Severity.WARNING and "expected a clear rise there too" in found.message
    assert not diagnose.preflight(select=["LRN032"], **shuffled_run(seed, 200, right=False)).findings


def test_targets_that_the_collator_deals_out_anew_are_told_by_the_items_beside_the_batches():
    torch.manual_seed(0)
    x = torch.randn(400, 12)
    data = TensorDataset(x, x[:, :5].argmax(1))

    def collate(items):
        inputs, labels = (torch.stack(part) for part in zip(*items, strict=True))
        return inputs, labels[torch.randperm(len(labels))]

    loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=collate)
    (found,) = diagnose.preflight(select=["LRN030"], train_batches=loader, train_dataset=data, collate=collate).findings
    assert found.where == "train_batches" and "train_dataset has z =" in found.message


@pytest.mark.parametrize("seed", range(10))
def test_items_that_are_sorted_by_class_are_no_alarm(seed):
    """As folders of images are: each stretch of rows has one class."""
    torch.manual_seed(seed)
    y = torch.arange(40).mul(4).div(40, rounding_mode="floor")
    x = torch.randn(4, 30)[y] + 2 * torch.randn(40, 30)
    data = TensorDataset(x, y)
    facts = {"train_dataset": data, "collate": torch.utils.data.default_collate, "train_batches": DataLoader(data, 8)}
    assert not diagnose.preflight(select=["LRN030"], **facts).findings


def test_inputs_of_two_axes_and_ragged_labels_are_read():
    choices = [np.arange(12).reshape(2, 6) + number for number in range(3)]
    assert len(inputs_as_counts(choices)) == 3
    assert list(rows_of([[1, 2], [3]])) == [[1, 2], [3]] and not list(rows_of(["one", "two"]))


def test_kinds_of_targets_are_named_apart_also_where_they_begin_alike():
    class Tokens:
        def convert_ids_to_tokens(self, number):
            return f"<{number}>"

    def names(*firsts):
        kinds = tuple(TargetKind(*related(), is_speech=False, lengths=None, first=first) for first in firsts)
        rows = SimpleNamespace(kinds=kinds)
        return [_name(rows, number, Tokens()) for number in range(len(kinds))]

    assert names(3, 4) == [", targets that start with <3>", ", targets that start with <4>"]
    assert names(3, 3) == [", target 1 of 2 of each item", ", target 2 of 2 of each item"] and names(3) == [""]


@pytest.mark.parametrize("rows", [1, 8])
def test_too_few_rows_are_no_verdict(rows):
    facts = {"model": torch.nn.Linear(12, 5), "compute_loss": classified}
    report = diagnose.preflight(select=["LRN030"], train_batches=[(x[:rows], y[:rows]) for x, y in batches(2)], **facts)
    (outcome,) = report.outcomes
    assert outcome.status == "skipped" and "too few" in outcome.reason

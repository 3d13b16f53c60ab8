"""Faults that the learning stage names by itself, with nobody before it: each in one or two subjects."""

import pytest
import torch

from diagnose.engine import discovery
from diagnose.engine.engine import installed
from probes.faults.kit.module_changes import batch_norm_of
from probes.healthy import healthy
from tests.bench.overfit import EXPECTED, OTHERWISE, OURS

FAULTS = {fault.id: fault for fault in discovery.faults().items}
QUICK = ("classifier", "mt5")
SLOW = ("hybrid", "whisper")
PAIRS = [(id, name) for id in EXPECTED for name in QUICK if {"*", name} & set(FAULTS[id].applies_to)]
LONG = [(id, name) for id in EXPECTED for name in SLOW if {"*", name} & set(FAULTS[id].applies_to)]


def roots(facts):
    engine = installed()
    return [root.probe for root in engine.examine(engine.context(facts), OURS).diagnosis]


@pytest.mark.parametrize(("id", "name"), PAIRS)
def test_a_fault_is_named_by_the_learning_stage_alone(id, name):
    assert roots(FAULTS[id].inject(healthy(name))) == [OTHERWISE.get((id, name), EXPECTED[id])]


@pytest.mark.bench
@pytest.mark.parametrize(("id", "name"), LONG)
def test_a_fault_is_named_in_larger_subjects_too(id, name):
    assert roots(FAULTS[id].inject(healthy(name))) == [OTHERWISE.get((id, name), EXPECTED[id])]


@pytest.mark.slow
def test_ctc_that_reads_one_value_in_all_frames_is_named():
    assert roots(FAULTS["ctc_reads_constants"].inject(healthy("hybrid"))) == ["LRN011"]


@pytest.mark.parametrize("seed", range(3))
def test_a_batch_norm_in_evaluation_mode_with_a_variance_far_too_large_is_named(seed):
    facts = FAULTS["batch_norm_of_other_data"].inject(healthy("classifier", seed))
    batch_norm_of(facts).running_var.fill_(1e20)
    assert roots(facts) == ["LRN009"]


def test_every_named_fault_is_known():
    known = {f"LRN{number:03}" for number in (*range(1, 12), 13, 20, 21)}
    assert set(EXPECTED) <= set(FAULTS) and set(EXPECTED.values()) | set(OTHERWISE.values()) == known


def test_heavy_dropout_and_a_frozen_trained_body_are_no_alarm():
    heavy = healthy("mt5")
    for module in heavy["model"].modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.3
    assert roots(heavy) == []
    facts = healthy("classifier")
    facts["model"][0].requires_grad_(False)
    assert roots(facts) == []


def test_labels_that_the_collator_draws_anew_are_named():
    facts = healthy("classifier")
    usual = facts["collate"]

    def collate(items):
        x, y = usual(items)
        return [x, y[torch.randperm(len(y))]]

    assert roots({**facts, "collate": collate}) == ["LRN010"]

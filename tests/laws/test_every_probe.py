"""Probes on plain values and on subjects that only look ill: quiet where nothing is wrong, exact where something is."""

import re
from collections import Counter

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import diagnose
from diagnose.engine import discovery
from diagnose.engine.engine import installed
from diagnose.engine.root_causes import by_severity
from probes.facts.first_step.types import GradientReach, UnreachedModule
from probes.facts.labels.types import LabelRow
from probes.gradients.module_gets_no_gradient import module_gets_no_gradient
from probes.healthy import NAMES, healthy
from probes.labels.label_padding_is_scored import label_padding_is_scored
from probes.labels.labels_are_all_masked import labels_are_all_masked
from tests.support.fake_probes import unknown_facts
from tests.support.low_rank import LowRank

SEEDS = (1,)  # `make bench WHAT=healthy` takes ten


def alarms(report):
    return [(f.probe, f.severity, f.where, f.message) for f in report.findings if f.severity != "note"]


@pytest.mark.parametrize("name", NAMES)
def test_a_healthy_subject_gives_no_finding_at_all(name):
    report = diagnose.preflight(everything=True, **healthy(name))
    assert report.verdict == "go" and not report.findings
    looked = {outcome.probe for outcome in report.outcomes if outcome.ran}
    assert {"LAB001", "LAB002", "PAR001", "PAR002", "LOS001", "LOS002", "LOS003", "GRD001", "GRD002"} <= looked


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_further_seeds_of_a_healthy_subject_give_no_alarm(name):
    for seed in SEEDS:
        facts = healthy(name, seed)
        torch.manual_seed(seed)
        report = diagnose.preflight(everything=True, **facts)
        assert report.verdict == "go" and not alarms(report), (seed, alarms(report))


def test_every_fact_that_a_probe_asks_for_can_be_given():
    engine = installed()
    assert unknown_facts(engine.probes, engine.providers) == [] and not engine.unreadable


def test_ids_are_unique_and_titles_are_sentences():
    probes = discovery.probes().items
    assert len({probe.id for probe in probes}) == len(probes)
    assert all(probe.title.endswith(".") for probe in probes)


def test_the_words_of_the_seeds_are_kept():
    rows = tuple(LabelRow(f"batch 0, row {n}", 0, length=32, scored=0) for n in range(4))
    (finding,) = labels_are_all_masked(rows)
    assert finding.message.startswith("Valid labels: 0/128 (0.0%)")
    facts = healthy("classifier")
    facts["model"].requires_grad_(False)
    (finding,) = diagnose.preflight(select=["PAR001"], **facts).findings
    assert finding.message.startswith("Trainable: 0 / 485 (0.0%)")


def test_padding_is_counted_in_the_worst_row_and_in_all():
    rows = (
        LabelRow("batch 0, row 0", 0, length=8, scored=8, padding=2, scored_padding=2, padding_token=0),
        LabelRow("batch 0, row 1", 0, length=8, scored=8, padding=5, scored_padding=5, padding_token=0),
    )
    (finding,) = label_padding_is_scored(rows)
    assert finding.where == "batch 0, row 1" and "5 of 5 padding positions are 0 instead of -100" in finding.message
    assert finding.measured == {"scored": 7, "valid": 16, "rows": 2}


@pytest.mark.parametrize(("followed", "share", "severity"), [(True, 1, None), (False, 5, "note"), (False, 40, None)])
def test_a_small_part_that_nobody_uses_is_a_note_and_a_cut_graph_never_is(followed, share, severity):
    reach = GradientReach(100, (UnreachedModule("pooler", "Linear", 2, share, missing=True, followed=followed),))
    (finding,) = module_gets_no_gradient(reach)
    assert finding.severity == severity


class Dropping(nn.Module):
    """Leaves its second layer out in training, nearly always."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(12, 5), nn.Linear(5, 5)

    def forward(self, x):
        x = self.first(x)
        return x if self.training else x + self.second(x)


@pytest.mark.parametrize("model", [LowRank, Dropping])
def test_what_has_no_gradient_only_in_the_first_look_is_no_alarm(model):
    facts = healthy("classifier") | {"model": model()}
    facts["optimizer"] = torch.optim.AdamW(facts["model"].parameters(), lr=1e-3)
    report = diagnose.preflight(**facts)
    assert report.verdict == "go" and not alarms(report)


class Pooled(nn.Module):
    """Computes a pooled output that the loss does not use, as BERT does."""

    def __init__(self):
        super().__init__()
        self.body, self.head, self.pooler = nn.Linear(12, 24), nn.Linear(24, 5), nn.Linear(24, 1)

    def forward(self, x):
        hidden = torch.tanh(self.body(x))
        self.pooler(hidden)
        return self.head(hidden)


def test_an_unused_pooler_is_a_note():
    facts = healthy("classifier") | {"model": Pooled()}
    facts["optimizer"] = torch.optim.AdamW(facts["model"].parameters(), lr=1e-3)
    report = diagnose.preflight(**facts)
    assert report.verdict == "go" and [(f.probe, f.where) for f in report.findings] == [("GRD001", "pooler")]
    assert "changing them does not change the loss" in report.findings[0].message


class Queried(nn.Module):
    """A learned query held by the model itself, in a forward pass that cuts it off."""

    def __init__(self):
        super().__init__()
        self.query, self.head = nn.Parameter(torch.randn(12)), nn.Linear(12, 5)

    def forward(self, x):
        return self.head(x + self.query.detach())


def test_a_lone_parameter_that_is_cut_off_is_named():
    facts = healthy("classifier") | {"model": Queried()}
    facts["optimizer"] = torch.optim.AdamW(facts["model"].parameters(), lr=1e-3)
    (finding,) = diagnose.preflight(**facts).findings
    assert (finding.probe, finding.where, finding.severity) == ("GRD001", "query", "error")


class Tokens:
    """The little that a tokenizer says about its ids."""

    pad_token_id, eos_token_id = 0, 1

    def __len__(self):
        return 30


class Tagger(nn.Module):
    """Scores every token for `width` classes."""

    def __init__(self, width):
        super().__init__()
        self.embed, self.head = nn.Embedding(30, 8), nn.Linear(8, width)

    def forward(self, ids):
        return self.head(self.embed(ids))


def tagging(width, labels, **loss):
    def compute_loss(model, batch):
        return cross_entropy(model(batch["ids"]).flatten(0, 1), batch["labels"].flatten(), **loss)

    ids = torch.tensor([[5, 6, 7, 1], [8, 1, 0, 0]])
    batches = [{"ids": ids, "labels": labels}]
    return diagnose.preflight(model=Tagger(width), train_batches=batches, compute_loss=compute_loss, tokenizer=Tokens())


def test_a_loss_that_skips_padding_by_itself_is_left_alone():
    labels = torch.tensor([[6, 7, 5, 1], [9, 1, 0, 0]])
    assert not tagging(30, labels, ignore_index=0).findings
    assert [f.probe for f in tagging(30, labels).findings] == ["LAB002"]


def test_class_nought_of_a_tagger_or_classifier_is_no_padding():
    assert not tagging(3, torch.tensor([[2, 1, 0, 0], [1, 0, -100, -100]])).findings
    facts = healthy("classifier") | {"tokenizer": Tokens()}
    assert not diagnose.preflight(**facts).findings


class Misshapen(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(9, 5))

    def forward(self, x):
        return self.block(x)


def test_a_model_that_raises_is_named_by_module_shapes_and_cure():
    facts = healthy("classifier") | {"model": Misshapen()}
    facts["optimizer"] = torch.optim.AdamW(facts["model"].parameters())
    report = diagnose.preflight(**facts)
    (finding,) = report.findings
    assert (finding.probe, finding.where) == ("LOS003", "block.2") and "Linear), given input [4, 8]" in finding.message
    assert finding.fix == "make the input size match this module"
    assert "Traceback" in finding.measured["trace"]
    blocked = {outcome.probe for outcome in report.outcomes if outcome.status == "blocked"}
    assert {"LOS001", "LOS002", "GRD001"} <= blocked


def test_ids_beyond_the_vocabulary_are_the_root_and_the_embedding_is_named_beneath():
    facts = healthy("mt5")
    facts["train_batches"] = [{**batch, "input_ids": batch["input_ids"] + 10_000} for batch in facts["train_batches"]]
    (root,) = diagnose.preflight(**facts).diagnosis
    assert root.probe == "TOK013" and "resize_token_embeddings" in root.finding.fix
    (follows,) = root.consequences
    assert follows.probe == "LOS003" and follows.findings[0].where.endswith("embed_tokens")


@pytest.mark.slow
@pytest.mark.parametrize("least", [2, pytest.param(1, marks=pytest.mark.bench)])
def test_different_faults_never_share_a_message(least):
    """Messages with their numbers taken out: of each fault the first finding of the probe that names it as the root.

    Those that one probe names are the likeliest to be told alike: they are the short form.
    """
    kinds, named = {}, Counter(fault.probe_id for fault in discovery.faults().items)
    for fault in (one for one in discovery.faults().items if named[one.probe_id] >= least):
        cheapest = [name for name in ("classifier", "hybrid") if {"*", name} & set(fault.applies_to)]
        name = (*cheapest, *fault.applies_to)[0]
        (outcome,) = diagnose.preflight(select=[fault.probe_id], **fault.inject(healthy(name))).outcomes
        assert outcome.findings, f"{fault.probe_id} does not see {fault.id} in {name}"
        finding = by_severity(outcome.findings)[0]
        kinds.setdefault(re.sub(r"[\d.,]+", "#", finding.message), []).append(fault.id)
    assert all(len(faults) == 1 for faults in kinds.values()), kinds

"""Batches of graphs, of samplers that draw items, of teachers that follow: shapes that only look broken."""

import copy
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

import diagnose
from diagnose.engine.traits import Trait
from probes.data.classes_are_imbalanced import classes_are_imbalanced
from probes.facts.batches.types import BatchScan
from probes.facts.classes.facts import class_labels


def test_a_sparse_matrix_in_a_batch_stops_no_measurement():
    edges, kinds = torch.eye(12).to_sparse(), torch.arange(12) % 3
    model = nn.Linear(4, 3)
    batch = {"x": torch.randn(12, 4), "adjacency": edges, "y": kinds}

    def compute_loss(model, batch):
        return F.cross_entropy(torch.sparse.mm(batch["adjacency"], model(batch["x"])), batch["y"])

    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    facts = {"model": model, "train_batches": [batch], "compute_loss": compute_loss, "optimizer": optimizer}
    report = diagnose.preflight(select=["DAT003", "LOS017", "LOS021", "LOS023"], **facts)
    assert not [one.probe for one in report.outcomes if one.status in ("blocked", "crashed")]


def test_the_nodes_of_several_graphs_are_not_rows_with_labels_of_other_items():
    graphs = [SimpleNamespace(x=torch.randn(2 + n % 3, 4), y=torch.tensor([n % 2])) for n in range(32)]

    def collate(items):
        parts = [torch.full((len(one.x),), n) for n, one in enumerate(items)]
        nodes, kinds = (torch.cat([getattr(one, name) for one in items]) for name in ("x", "y"))
        return {"x": nodes, "labels": kinds, "graph": torch.cat(parts)}

    facts = {"model": nn.Linear(4, 2), "train_batches": DataLoader(graphs, 8, shuffle=True, collate_fn=collate)}
    assert not diagnose.preflight(select=["LAB034"], **facts).findings


def test_a_sampler_that_draws_items_has_no_row_order():
    rows = [(torch.randn(4), n) for n in range(8)]
    loader = DataLoader(_Cuts(), sampler=[rows[:4], rows[4:]], batch_size=None)
    (outcome,) = (
        o for o in diagnose.preflight(select=["DAT044"], train_batches=loader).outcomes if o.probe == "DAT044"
    )
    assert outcome.status == "skipped" and "items of its own" in outcome.reason_chain


class _Cuts:
    def __getitem__(self, rows):
        return torch.stack([row for row, _ in rows])


class _WithTeacher(nn.Module):
    def __init__(self, other: nn.Module) -> None:
        super().__init__()
        self.online = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
        self.target = other.requires_grad_(False)

    def forward(self, x):
        return self.online(x) - self.target(x).detach()


def test_the_statistics_of_a_teacher_may_change_and_those_of_a_frozen_part_may_not():
    student = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
    other = nn.Sequential(nn.Linear(4, 8, bias=False), nn.BatchNorm1d(8))
    for part, told in ((copy.deepcopy(student), []), (other, ["PAR014"])):
        facts = {"model": _WithTeacher(part), "train_batches": [torch.randn(16, 4)] * 2}
        report = diagnose.preflight(select=["PAR014"], compute_loss=lambda m, b: m(b).square().mean(), **facts)
        assert [one.probe for one in report.findings] == told


def test_labels_that_are_all_the_same_are_told_where_they_are_classes():
    labels = class_labels(batch_scan=BatchScan(4, True, (), None, (0,) * 64))
    assert list(classes_are_imbalanced(labels, Trait(True, "")))
    assert not list(classes_are_imbalanced(labels, Trait(False, "")))

"""The proof of learning on runs of other kinds: graphs, losses without labels, random losses, the user's own step."""

from itertools import pairwise

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss

import diagnose
from diagnose.engine.engine import installed
from probes.facts.core.observer import held_by
from probes.facts.overfit.types import OverfitResult
from tests.support.state_picture import picture

SELECT = ["LRN00*", "LRN01*"]


def curve(**facts):
    return installed().context(facts).get("overfit_curve")


def mlp(*widths):
    layers = [layer for a, b in pairwise(widths) for layer in (nn.Linear(a, b), nn.Tanh())]
    return nn.Sequential(*layers[:-1])


def graph():
    labels = torch.arange(30) % 3
    edges = (labels[:, None] == labels[None]).float()
    model = nn.ModuleList([nn.Linear(6, 16), nn.Linear(16, 3)])

    def loss(model, batch):
        mean = batch["edges"] / batch["edges"].sum(-1, keepdim=True)
        return cross_entropy(model[1](mean @ torch.relu(model[0](mean @ batch["nodes"]))), batch["labels"])

    batch = {"nodes": torch.randn(3, 6)[labels] + torch.randn(30, 6), "edges": edges, "labels": labels}
    return {"model": model, "train_batches": [batch], "compute_loss": loss}


def autoencoder():
    rows = torch.randn(64, 4) @ torch.randn(4, 12)
    facts = {"model": mlp(12, 32, 12), "train_batches": list(rows.split(16))}
    return {**facts, "compute_loss": lambda model, batch: mse_loss(model(batch), batch)}


def denoiser():
    """The loss draws a noise for each row, and the target is that noise."""

    def loss(model, batch):
        noise = torch.randn_like(batch["x"])
        return mse_loss(model(batch["x"] + noise), noise)

    rows = torch.randn(64, 4) @ torch.randn(4, 12)
    return {"model": mlp(12, 32, 12), "train_batches": [{"x": part} for part in rows.split(16)], "compute_loss": loss}


def contrastive():
    """A row is told from the others of its batch, by a view that is drawn anew."""

    def loss(model, batch):
        one, other = (nn.functional.normalize(model(batch[0] + 0.1 * torch.randn_like(batch[0])), dim=-1) for _ in "ab")
        return cross_entropy(one @ other.T / 0.1, torch.arange(len(one)))

    return {"model": mlp(12, 32, 8), "train_batches": [[torch.randn(16, 12)]], "compute_loss": loss}


def likelihood():
    """A Gaussian's negative log-likelihood falls below zero."""
    x = torch.randn(32, 6)

    def loss(model, batch):
        mean, log_variance = model(batch[0]).chunk(2, -1)
        return 0.5 * (log_variance + (batch[1] - mean).square() / log_variance.exp()).mean() - 1.0

    return {"model": mlp(6, 32, 2), "train_batches": [(x, 0.3 * x.sum(1, keepdim=True))], "compute_loss": loss}


@pytest.mark.parametrize("build", [graph, autoencoder, denoiser, contrastive, likelihood])
@pytest.mark.parametrize("seed", range(2))
def test_runs_of_other_kinds_learn_and_raise_no_alarm(build, seed):
    torch.manual_seed(seed)
    facts = build()
    run = curve(**facts)
    assert run.learnt and run.loss_fell and run.uses_input is not False
    assert not diagnose.preflight(select=SELECT, **facts).findings


def adversaries():
    """Two networks, two optimizers, two losses, and a moving average: only the step knows them."""
    model = nn.ModuleDict({"generator": mlp(4, 16, 2), "discriminator": mlp(2, 16, 1)})
    optimizers = [torch.optim.Adam(part.parameters(), lr=1e-3) for part in model.values()]
    average, count = nn.Linear(16, 2), [0]
    bce = nn.BCEWithLogitsLoss()

    def training_step(batch):
        fake = model["generator"](torch.randn(len(batch), 4))
        for optimizer, made, right in ((optimizers[1], fake.detach(), 0.0), (optimizers[0], fake, 1.0)):
            scores = model["discriminator"](made)
            optimizer.zero_grad()
            loss = bce(scores, torch.full_like(scores, right))
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            average.weight.lerp_(model["generator"][2].weight, 0.1)
        count[0] += 1
        return loss.detach()

    return {"model": model, "train_batches": [torch.randn(32, 2)], "training_step": training_step}, optimizers, average


def test_a_step_without_a_single_loss_is_proof_enough_and_is_undone():
    facts, optimizers, average = adversaries()
    facts["training_step"](facts["train_batches"][0])
    joint, before = nn.ModuleList([facts["model"], average]), None
    before = picture(joint, optimizers[0]), picture(joint, optimizers[1])
    run = curve(**facts)
    assert run.by_own_step and run.optimized_tensors == run.trainable == 8 and run.updates == 30
    assert (picture(joint, optimizers[0]), picture(joint, optimizers[1])) == before
    assert installed().context(facts).get("first_gradients").norm > 0
    assert not diagnose.preflight(select=[*SELECT, "GRD001"], **facts).findings


def test_a_step_that_moves_nothing_is_told():
    facts, optimizers, _ = adversaries()
    for optimizer in optimizers:
        optimizer.param_groups[0]["lr"] = 0.0
    (found,) = diagnose.preflight(select=["LRN002"], **facts).findings
    assert "30 calls of training_step change 0 of 8 trainable tensors" in found.message


def test_several_optimizers_are_stepped_as_one():
    model = mlp(6, 16, 3)
    optimizers = [torch.optim.Adam(model[0].parameters(), lr=3e-3), torch.optim.SGD(model[2].parameters(), lr=0.1)]
    batch = (torch.randn(16, 6), torch.arange(16) % 3)
    facts = {"model": model, "train_batches": [batch], "compute_loss": lambda m, b: cross_entropy(m(b[0]), b[1])}
    run = curve(**facts, optimizer=optimizers)
    assert run.learnt and run.optimized_tensors == 4


GLOBAL = [1, 2]


def uses_a_global(batch):
    return len(GLOBAL) + len(batch)


def test_what_a_function_holds_is_found_in_closures_in_globals_and_in_what_it_calls():
    inside = {"a": 1}

    def inner():
        return inside

    def outer(batch):
        return inner(), uses_a_global(batch)

    held = held_by(outer)
    assert any(value is inside for value in held) and any(value is GLOBAL for value in held)


def test_a_gradient_that_becomes_nan_on_the_way_is_told():
    """A norm that reaches zero has no slope there."""
    torch.manual_seed(0)
    x = torch.randn(8, 6)

    def loss(model, batch):
        gap = model(batch[0]) - batch[1]
        gap = gap * (gap.abs() > 0.5)
        return gap.square().sum().sqrt() + 1.0

    facts = {"model": mlp(6, 32, 1), "train_batches": [(x, x.sum(1, keepdim=True))], "compute_loss": loss}
    (found,) = diagnose.preflight(select=["LRN013"], **facts).findings
    assert "not finite" in found.message and curve(**facts).ended == "not finite"


def test_a_diverging_rate_is_no_broken_gradient():
    assert not list(_probe("LRN013")(OverfitResult("batch 0", 3, (5.0,), 1.0, "learnt", 0.01)))


def _probe(id):
    from diagnose.engine import discovery

    return next(probe.check for probe in discovery.probes().items if probe.id == id)

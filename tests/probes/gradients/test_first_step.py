"""The first step: how gradients change over depth, where backward raises, and what is random."""

import re

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import diagnose
from diagnose import Status
from probes.facts.core.model_output import loss_of_output
from probes.facts.core.step_setup import StepSetup
from probes.facts.first_step.first_step import take_first_step
from probes.facts.first_step.types import GradientReach, Gradients, ParameterGradient
from probes.facts.gradients.types import LayerGradients
from probes.faults.kit.forward_changes import hook_output, usual_loss
from probes.faults.kit.model_parts import front_of
from probes.gradients.gradient_explodes import gradient_explodes
from probes.gradients.gradient_vanishes import gradient_vanishes
from probes.healthy import healthy
from tests.probes.gradients.support import Between, classifying, look, told


def stack(activation, layers, gain=None):
    torch.manual_seed(0)
    body = [piece for _ in range(layers) for piece in (nn.Linear(12, 12), activation())]
    model = nn.Sequential(*body, nn.Linear(12, 5))
    for layer in model if gain else ():
        if isinstance(layer, nn.Linear):
            nn.init.normal_(layer.weight, std=gain / layer.in_features**0.5)
    return model


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (stack(nn.Sigmoid, 30), [("GRD005", "error")]),
        (stack(nn.Sigmoid, 6), [("GRD005", "warning")]),
        (stack(nn.ReLU, 8), []),
        (stack(nn.ReLU, 16, gain=2**0.5), []),
        (stack(nn.Tanh, 16, gain=1.0), []),
        (stack(nn.ReLU, 12, gain=8.0), [("GRD006", "error")]),
    ],
)
def test_deep_stacks_are_told_by_what_arrives(model, expected):
    assert told(look(classifying(model))) == expected


def test_a_steady_fall_or_rise_over_the_layers_is_a_warning_and_a_jump_is_not():
    names = tuple(f"layers.{n}" for n in range(6))
    fades, grows = (tuple(10.0 ** (sign * n) for n in range(6)) for sign in (1, -1))
    (finding,) = gradient_vanishes(GradientReach(100), (LayerGradients("layers", names, fades),))
    assert finding.severity == "warning" and "0.1x per layer" in finding.message
    (finding,) = gradient_explodes(Gradients((), 1.0), (LayerGradients("layers", names, grows),))
    assert finding.severity == "warning" and "10x per layer" in finding.message
    jump = LayerGradients("layers", names, (1e-6, 1.0, 0.9, 1.1, 1.0, 0.95))
    assert not list(gradient_vanishes(GradientReach(100), (jump,)))


def test_clipping_is_taken_into_account_before_an_update_is_called_too_large():
    row = ParameterGradient(
        "w", norm=1e4, size=100, weight_norm=1.0, moved=1e3, changed=1.0, rate=0.1, largest=1e3, dims=2
    )
    gradients = Gradients((row,), norm=1e4, rate=0.1)
    assert [finding.where for finding in gradient_explodes(gradients)] == ["w"]
    assert not list(gradient_explodes(gradients, training_arguments={"max_grad_norm": 1.0}))


def test_bfloat16_weights_follow_a_large_rate_and_not_a_small_one():
    found = {}
    for rate in (1e-5, 1e-3):
        facts = healthy("mt5")
        facts["model"].to(torch.bfloat16)
        facts["optimizer"] = torch.optim.AdamW(facts["model"].parameters(), lr=rate)
        found[rate] = told(look(facts))
    assert found == {1e-5: [("GRD012", "error")], 1e-3: []}


def test_a_group_without_a_rate_is_told_and_a_warm_up_is_not():
    facts = healthy("classifier")
    first, *rest = facts["model"].parameters()
    facts["optimizer"] = torch.optim.AdamW([{"params": [first], "lr": 0.0}, {"params": rest}], lr=1e-3)
    (finding,) = look(facts).findings
    assert (finding.probe, finding.severity, finding.where) == ("GRD011", "warning", "0.weight")
    facts = healthy("classifier")
    torch.optim.lr_scheduler.LambdaLR(facts["optimizer"], lambda step: step / 100)
    assert facts["optimizer"].param_groups[0]["lr"] == 0.0
    assert not look(facts).findings and facts["optimizer"].param_groups[0]["lr"] == 0.0


class Overwrites(nn.Module):
    def forward(self, x):
        y = x.sigmoid()
        y += 1
        return y


def test_an_in_place_error_names_module_node_and_line():
    (finding,) = look(classifying(Between(nn.Sequential(nn.Linear(24, 24), Overwrites())))).findings
    assert (finding.probe, finding.where) == ("GRD003", "inner.1") and "(node SigmoidBackward0)" in finding.message
    assert finding.file == __file__ and "in-place" in finding.fix
    assert finding.line == Overwrites.forward.__code__.co_firstlineno + 1


def test_an_error_in_a_hand_written_backward_names_the_module_that_called_it():
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            raise ValueError("no way back")

    facts = healthy("classifier")
    hook_output(facts["model"][0], Broken.apply)
    (finding,) = look(facts).findings
    assert finding.probe == "GRD003" and "no way back (node BrokenBackward)" in finding.message


def test_no_probe_is_called_clean_when_the_backward_pass_raised():
    report = look(classifying(Between(Overwrites())))
    status = {outcome.probe: outcome.status for outcome in report.outcomes}
    assert status["GRD003"] is Status.FOUND and status["GRD005"] is status["GRD018"] is Status.BLOCKED


class TwoHeads(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.body, self.first, self.second = nn.Linear(12, 32), nn.Linear(32, 5), nn.Linear(32, wide)

    def forward(self, x, watches):
        hidden = torch.tanh(self.body(x))
        return self.first(hidden), self.second(hidden.detach() if watches else hidden)


@pytest.mark.parametrize(("wide", "watches", "severity"), [(1, True, "note"), (30, True, "error"), (30, False, None)])
@pytest.mark.parametrize("joined", ["sum", "stack"])
def test_a_part_of_the_loss_that_does_not_reach_the_body_is_found(wide, watches, severity, joined):
    def compute_loss(model, batch):
        first, second = model(batch[0], watches)
        parts = [cross_entropy(first, batch[1]), second.square().mean()]
        return 0.3 * parts[0] + 0.7 * parts[1] if joined == "sum" else torch.stack(parts).mean()

    report = look(classifying(TwoHeads(wide), compute_loss=compute_loss))
    assert told(report) == ([("GRD010", severity)] if severity else [])
    assert all(finding.where == "body" for finding in report.findings)


def test_chance_from_known_generators_is_repeated_and_other_chance_is_named():
    import random

    import numpy as np

    def noisy(draw):
        facts = healthy("hybrid")
        middle = front_of(facts)
        hook_output(middle, lambda hidden: hidden * (1 + draw()) if middle.training else hidden)
        return look(facts)

    own = np.random.default_rng()
    assert not noisy(lambda: random.random() + np.random.rand() + float(torch.rand(()))).findings
    (finding,) = noisy(lambda: own.random()).findings
    assert (finding.probe, finding.where) == ("GRD020", "encoder") and re.search(r"is \d.*, then \d", finding.message)


def test_the_first_step_says_how_each_weight_would_move():
    facts = healthy("mt5")
    batch = next(iter(facts["train_batches"]))
    step = take_first_step(StepSetup(facts["model"], usual_loss(facts) or loss_of_output, facts["optimizer"]), batch)
    assert all(row.rate == 1e-3 and row.moved and row.changed == 1.0 for row in step.gradients.rows if row.norm)
    assert step.gradients.rounds and step.gradients.rate == 1e-3


class Reader(nn.Module):
    """One attention over words, some of which come twice; without positions they have the same keys."""

    def __init__(self, size, fused):
        super().__init__()
        self.words, self.query, self.head, self.fused = nn.Embedding(9, 8), nn.Linear(8, 8), nn.Linear(8, 3), fused
        self.size = size

    def forward(self, x):
        keys = self.words(x)[:, None]
        queries = self.query(keys) * self.size
        mask = torch.zeros(x.shape[1], x.shape[1]).masked_fill(torch.ones(x.shape[1], x.shape[1]).triu(1) > 0, -1e9)
        if self.fused:
            heard = nn.functional.scaled_dot_product_attention(queries, keys, keys, attn_mask=mask)
        else:
            heard = torch.softmax(queries @ keys.mT + mask, dim=-1) @ keys
        return self.head(heard[:, 0].mean(1))


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize(("size", "named"), [(1e6, ["GRD009"]), (1.0, []), (0.0, [])])
def test_all_weight_on_one_word_that_comes_twice_is_on_one_key(fused, size, named):
    torch.manual_seed(0)
    batch = (torch.tensor([[1, 2, 1, 2, 3, 3], [4, 5, 5, 4, 4, 6]]), torch.tensor([0, 2]))
    facts = {
        "model": Reader(size, fused),
        "train_batches": [batch],
        "compute_loss": lambda m, b: cross_entropy(m(b[0]), b[1]),
    }
    report = diagnose.preflight(select=["GRD009"], **facts)
    assert [finding.probe for finding in report.findings] == named and report.outcomes[0].ran


class FixedTable(nn.Embedding):
    """As the sinusoidal positions of transformers: computed under no_grad, and trainable by oversight."""

    @torch.no_grad()
    def forward(self, x):
        return super().forward(torch.arange(x.shape[1]))


class Positions(nn.Module):
    def __init__(self, table, under_no_grad=False):
        super().__init__()
        self.positions, self.head, self.under_no_grad = table(8, 6), nn.Linear(6, 3), under_no_grad

    def forward(self, x):
        with torch.set_grad_enabled(not self.under_no_grad):
            places = self.positions(x[..., 0].long())
        return self.head(x + places).mean(1)


@pytest.mark.parametrize(
    ("model", "severity"), [(Positions(FixedTable), "note"), (Positions(nn.Embedding, True), "error")]
)
def test_a_table_whose_own_class_never_trains_it_is_a_note(model, severity):
    batches = [(torch.rand(4, 8, 6), torch.arange(4) % 3) for _ in range(3)]
    loss = nn.functional.cross_entropy
    facts = {"model": model, "train_batches": batches, "compute_loss": lambda m, batch: loss(m(batch[0]), batch[1])}
    report = diagnose.preflight(select=["GRD001"], **facts)
    assert [finding.severity for finding in report.findings] == [severity]

"""Layers that run several times: one instance in a list, or a layer on its own output; not what recurs on purpose."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import diagnose


def told(model):
    facts = {"model": model, "compute_loss": lambda model, batch: cross_entropy(model(batch[0]), batch[1])}
    torch.manual_seed(0)
    batches = [(torch.randn(8, 12), torch.randint(0, 5, (8,)))]
    (outcome,) = diagnose.preflight(select=["PAR021"], train_batches=batches, **facts).outcomes
    assert outcome.status in ("passed", "found"), outcome.reason
    return [(finding.where, str(finding.severity)) for finding in outcome.findings]


class Block(nn.Module):
    """A layer that runs on its own output, on two parts of the input, or on every step of it."""

    def __init__(self, way):
        super().__init__()
        self.layer, self.cell, self.out, self.way = nn.Linear(12, 12), nn.GRUCell(3, 12), nn.Linear(12, 5), way

    def forward(self, x):
        if self.way == "again":
            return self.out(self.layer(torch.relu(self.layer(x))))
        if self.way == "beside":
            return self.out((self.layer(x) - self.layer(x.flip(0))).abs())
        hidden = torch.zeros(len(x), 12)
        for step in range(4):
            hidden = self.cell(x[:, 3 * step : 3 * step + 3], hidden)
        return self.out(hidden)


def test_one_instance_at_several_places_is_named_with_all_of_them():
    assert told(nn.Sequential(*[nn.Linear(12, 12)] * 3, nn.Linear(12, 5))) == [("0, 1, 2", "note")]


def test_a_layer_on_its_own_output_is_named():
    assert told(Block("again")) == [("layer", "note")]


@pytest.mark.parametrize("way", ["beside", "recurrent"])
def test_two_inputs_or_time_steps_are_no_finding(way):
    assert not told(Block(way))


def test_layers_of_their_own_and_shared_activations_are_no_finding():
    relu = nn.ReLU()
    assert not told(nn.Sequential(nn.Linear(12, 12), relu, nn.Linear(12, 12), relu, nn.Linear(12, 5)))


@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_clipping_that_is_off_is_noted(limit):
    arguments = {"output_dir": "out", "max_steps": 100, "learning_rate": 1e-3, "max_grad_norm": limit}
    found = diagnose.preflight(select=["CFG022"], training_arguments=arguments).findings
    assert [str(one.severity) for one in found] == ([] if limit else ["note"])


def test_clipping_in_a_loop_of_ones_own_is_not_known():
    (outcome,) = diagnose.preflight(select=["CFG022"], training_arguments={"lr": 1e-3, "steps": 10}).outcomes
    assert not outcome.findings

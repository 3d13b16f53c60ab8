"""A layer that is frozen with its initial weights is told, and one that is frozen on purpose is not."""

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel, T5Config, T5ForConditionalGeneration

from tests.probes.influence.test_influence import found, run
from tests.support.low_rank import LowRank

SIZES = {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 40}


class Distilled(nn.Module):
    """A student beside a frozen teacher."""

    def __init__(self):
        super().__init__()
        self.student, self.teacher = (nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 5)) for _ in range(2))
        self.teacher.requires_grad_(False)

    def forward(self, x):
        return self.student(x) + 0.0 * self.teacher(x)


class Target(nn.Module):
    """A layer and its frozen copy, as in target networks."""

    def __init__(self):
        super().__init__()
        self.online, self.target, self.head = nn.Linear(12, 8), nn.Linear(12, 8), nn.Linear(8, 5)
        self.target.load_state_dict(self.online.state_dict())
        self.target.requires_grad_(False)

    def forward(self, x):
        return self.head(self.online(x) + self.target(x))


@pytest.mark.parametrize("model", [Distilled, LowRank, Target])
@pytest.mark.parametrize("seed", range(5))
def test_a_layer_that_is_frozen_on_purpose_is_no_alarm(model, seed):
    torch.manual_seed(seed)
    assert found(run(model(), torch.randn(16, 12), torch.arange(16) % 5), ["PAR020"]) == []


def test_a_layer_that_was_trained_or_drawn_otherwise_does_not_look_new():
    from probes.facts.influence.initial_weights import has_initial_weights

    for seed in range(20):
        torch.manual_seed(seed)
        layer, conv = nn.Linear(40, 30), nn.Conv2d(3, 8, 3)
        assert has_initial_weights(layer) and has_initial_weights(conv)
        for draw in (nn.init.xavier_uniform_, nn.init.kaiming_normal_, nn.init.orthogonal_):
            draw(layer.weight)
            assert not has_initial_weights(layer), draw
        layer.reset_parameters()
        optimizer = torch.optim.Adam(layer.parameters(), lr=1e-2)
        for _ in range(20):
            optimizer.zero_grad()
            layer(torch.randn(32, 40)).square().sum().backward()
            optimizer.step()
        assert not has_initial_weights(layer)


class Pooled(nn.Module):
    """BERT with a head on the mean of the states, or on BERT's own pooler, which is frozen."""

    def __init__(self, pools):
        super().__init__()
        self.bert, self.head, self.pools = BertModel(BertConfig(hidden_size=32, **SIZES)), nn.Linear(32, 5), pools
        self.bert.pooler.requires_grad_(False)

    def forward(self, x):
        output = self.bert(x)
        return self.head(output.pooler_output if self.pools else output.last_hidden_state.mean(1))


@pytest.mark.parametrize("pools", [True, False])
def test_a_frozen_pooler_matters_where_the_loss_depends_on_it(pools):
    torch.manual_seed(0)
    facts = run(Pooled(pools), torch.randint(0, 40, (8, 6)), torch.arange(8) % 5)
    assert found(facts, ["PAR020"]) == ["PAR020"] * pools


def test_a_frozen_table_that_is_the_head_too_is_named_once():
    torch.manual_seed(0)
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2, "vocab_size": 60}
    model = T5ForConditionalGeneration(T5Config(decoder_start_token_id=0, **sizes))
    model.lm_head.requires_grad_(False)
    ids = torch.randint(2, 60, (4, 6))
    facts = {"model": model, "train_batches": [{"input_ids": ids, "labels": ids}]}
    assert found(facts, ["PAR020"]) == ["PAR020"]
    model.lm_head.weight.data *= 8  # as wide as the tables of trained models
    assert found(facts, ["PAR020"]) == []


class Small(nn.Module):
    """A head of few values, beside a token that starts at zero."""

    def __init__(self, width):
        super().__init__()
        self.mask_token = nn.Parameter(torch.zeros(1, 1, 12))
        self.body, self.head = nn.Linear(12, width), nn.Linear(width, 1)
        self.head.requires_grad_(False)

    def forward(self, x):
        return self.head(torch.relu(self.body(x + self.mask_token[0]))).squeeze(-1)


@pytest.mark.parametrize("seed", range(5))
def test_a_head_of_few_values_shows_its_law(seed):
    torch.manual_seed(seed)
    facts = run(Small(32), torch.randn(16, 12), torch.randn(16), nn.functional.mse_loss)
    assert found(facts, ["PAR020"]) == ["PAR020"]
    facts["model"].head.weight.data *= 1.5
    assert found(facts, ["PAR020"]) == []

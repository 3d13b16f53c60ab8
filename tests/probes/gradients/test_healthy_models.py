"""The gradients stage on healthy models, of which some look odd."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from diagnose.engine import pass_counter
from probes.healthy import NAMES, healthy
from tests.probes.gradients.support import Between, alarms, classifying, look, told

SEEDS = 10
MOST_PASSES = 6


@pytest.mark.parametrize("name", NAMES)
def test_two_seeds_of_a_healthy_subject_give_nothing_and_cost_little(name):
    for seed in range(2):
        facts = healthy(name, seed)
        before = pass_counter.passes()
        report = look(facts)
        assert report.verdict == "go" and not report.findings, (seed, told(report))
        assert pass_counter.passes() - before <= MOST_PASSES


@pytest.mark.bench
@pytest.mark.parametrize("name", NAMES)
def test_ten_seeds_of_a_healthy_subject_give_no_alarm(name):
    for seed in range(SEEDS):
        facts = healthy(name, seed)
        torch.manual_seed(seed)
        report = look(facts)
        assert report.verdict == "go" and not alarms(report), (seed, alarms(report))


class Adapter(nn.Module):
    """Low rank, its second matrix at nought."""

    def __init__(self):
        super().__init__()
        self.base, self.down, self.up = nn.Linear(24, 24), nn.Linear(24, 2), nn.Linear(2, 24, bias=False)
        self.base.requires_grad_(False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


class Gated(nn.Module):
    """Residual branches behind gates that start (almost) shut."""

    def __init__(self, start):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(24, 24), nn.GELU(), nn.Linear(24, 24)) for _ in range(5))
        self.gates = nn.ParameterList(nn.Parameter(torch.full((24,), start)) for _ in range(5))

    def forward(self, x):
        for layer, gate in zip(self.layers, self.gates, strict=True):
            x = x + gate * layer(x)
        return x


class FewRows(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5000, 24)

    def forward(self, x):
        return self.table((x.abs() * 10).long()).mean(1)


class Silent(nn.Module):
    """Keeps a state, without its graph."""

    def __init__(self):
        super().__init__()
        self.state = None

    def forward(self, x):
        x = x if self.state is None else x + 0.1 * self.state.mean()
        self.state = x.detach()
        return x


def transformer(norm_first):
    layer = nn.TransformerEncoderLayer(24, 4, 48, batch_first=True, norm_first=norm_first)
    return nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)


ODD = {
    "adapter": Adapter,
    "shut gates": lambda: Gated(0.0),
    "almost shut gates": lambda: Gated(1e-6),
    "few rows": FewRows,
    "state without graph": Silent,
    "pre-norm": lambda: transformer(True),
    "post-norm": lambda: transformer(False),
    "relu": lambda: nn.Sequential(nn.ReLU(), nn.Linear(24, 24), nn.ReLU(), nn.Dropout(0.5)),
    "tanh": lambda: nn.Sequential(nn.Tanh(), nn.Linear(24, 24), nn.Sigmoid()),
}


@pytest.mark.parametrize("name", ODD)
def test_a_healthy_model_that_looks_odd_is_left_alone(name):
    for seed in range(3):
        torch.manual_seed(seed)
        inner = ODD[name]()
        model = nn.Sequential(inner, nn.Linear(24, 5)) if name == "few rows" else Between(inner)
        for optimizer, lr in ((torch.optim.AdamW, 1e-5), (torch.optim.SGD, 0.1)):
            report = look(classifying(model, optimizer, lr))
            assert report.verdict == "go" and not report.findings, told(report)


def test_an_expert_that_only_another_batch_uses_is_not_cut_off():
    torch.manual_seed(0)
    rows = [torch.full((4, 12), float(n)) for n in (1, 2, 3)]

    class One(nn.Module):
        def __init__(self):
            super().__init__()
            self.experts = nn.ModuleList(nn.Linear(12, 5) for _ in range(3))

        def forward(self, x):
            return self.experts[int(x[0, 0]) - 1](x)

    facts = {"model": One(), "train_batches": [(x, torch.tensor([0, 1, 2, 3])) for x in rows]}
    report = look(facts | {"compute_loss": lambda model, batch: cross_entropy(model(batch[0]), batch[1])})
    assert not alarms(report)
    facts["train_batches"] = facts["train_batches"][:1]
    report = look(facts | {"compute_loss": lambda model, batch: cross_entropy(model(batch[0]), batch[1])})
    found = sorted(alarm[:2] for alarm in alarms(report))
    assert found == [(id, f"experts.{number}") for id in ("GRD001", "GRD024") for number in (1, 2)]


def test_a_frozen_encoder_and_an_unused_mask_are_no_alarm():
    facts = healthy("e2e")
    facts["model"].encoder.requires_grad_(False)
    facts["optimizer"] = torch.optim.AdamW(facts["model"].decoder.parameters(), lr=1e-5)
    assert not look(facts).findings
    facts = healthy("e2e")
    facts["model"].encoder.config.mask_time_prob = 0.0
    assert told(look(facts)) == [("GRD001", "note")]


@pytest.mark.parametrize("options", [{}, {"gradient_accumulation_steps": 2}, {"bf16": True}])
def test_a_stock_trainer_is_left_alone(options, tmp_path):
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    facts = healthy("mt5")
    arguments = Seq2SeqTrainingArguments(
        output_dir=str(tmp_path), per_device_train_batch_size=4, max_steps=20, warmup_steps=5, report_to=[],
        learning_rate=1e-4, remove_unused_columns=False, use_cpu=True, **options,
    )  # fmt: skip
    given = {"args": arguments, "train_dataset": facts["train_dataset"], "data_collator": facts["collate"]}
    report = look({"trainer": Seq2SeqTrainer(model=facts["model"], processing_class=facts["tokenizer"], **given)})
    assert report.verdict == "go" and not report.findings
    assert {"GRD013", "GRD016", "GRD020"} <= {outcome.probe for outcome in report.outcomes if outcome.ran}


def test_an_activation_built_from_a_tanh_may_be_flat():
    from transformers.activations import ACT2FN

    for name in ("gelu_new", "quick_gelu", "silu"):
        torch.manual_seed(0)
        model = Between(ACT2FN[name])
        nn.init.normal_(model.before.weight, std=20.0)
        assert not look(classifying(model)).findings, name

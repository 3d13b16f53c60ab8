"""The gradients stage on what only looks ill and on what is: own steps, strange layers, hand-written functions."""

import gc
import re
import weakref

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_

import diagnose
from diagnose import Status
from diagnose.engine import pass_counter
from probes.facts.core.model_output import loss_of_output
from probes.facts.first_step.first_step import take_first_step
from probes.facts.first_step.types import GradientReach, Gradients, ParameterGradient
from probes.facts.gradients.types import LayerGradients
from probes.faults.kit.forward_changes import hook_output, usual_loss
from probes.faults.kit.gradient_changes import with_own_step
from probes.faults.kit.model_parts import front_of
from probes.gradients.gradient_explodes import gradient_explodes
from probes.gradients.gradient_vanishes import gradient_vanishes
from probes.healthy import NAMES, healthy

SEEDS = 10
MOST_PASSES = 6


def look(facts):
    return diagnose.preflight(select=["GRD*"], **facts)


def told(report):
    return [(f.probe, f.severity.value) for f in report.findings]


def alarms(report):
    return [(f.probe, f.where, f.message) for f in report.findings if f.severity != "note"]


def classifying(model, optimizer=torch.optim.AdamW, lr=1e-3, **facts):
    return healthy("classifier") | {"model": model, "optimizer": optimizer(model.parameters(), lr=lr)} | facts


class Between(nn.Module):
    """Something between two layers."""

    def __init__(self, inner):
        super().__init__()
        self.before, self.inner, self.after = nn.Linear(12, 24), inner, nn.Linear(24, 5)

    def forward(self, x):
        return self.after(self.inner(self.before(x)))


# Healthy: seeds, strange layers, steps


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
    assert [alarm[:2] for alarm in alarms(report)] == [("GRD001", "experts.1"), ("GRD001", "experts.2")]


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


# The user's own step


def usual(model, optimizer, loss):
    optimizer.zero_grad()
    loss().backward()
    optimizer.step()


def clears_afterwards(model, optimizer, loss):
    loss().backward()
    clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)


def adds_up_micro_batches(model, optimizer, loss):
    optimizer.zero_grad()
    for _ in range(2):
        (loss() / 2).backward()
    optimizer.step()


def casts_forward_alone(model, optimizer, loss):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss()
    value.backward()
    optimizer.step()


def gives_a_closure(model, optimizer, loss):
    def closure():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    optimizer.step(closure)


def casts_everything(model, optimizer, loss):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        usual(model, optimizer, loss)


def forgets_backward(model, optimizer, loss):
    loss()


def steps_first(model, optimizer, loss):
    value = loss()
    optimizer.step()
    value.backward()


def clips_and_never_clears(model, optimizer, loss):
    loss().backward()
    clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (usual, []),
        (clears_afterwards, []),
        (adds_up_micro_batches, []),
        (casts_forward_alone, []),
        (gives_a_closure, []),
        (casts_everything, [("GRD016", "warning")]),
        (forgets_backward, [("GRD014", "error")]),
        (clips_and_never_clears, [("GRD013", "error")]),
    ],
)
def test_a_step_of_ones_own_is_read_as_it_is(body, expected):
    report = look(with_own_step(healthy("classifier"), body))
    assert told(report) == expected
    assert {f"GRD0{n}" for n in range(13, 20)} <= {outcome.probe for outcome in report.outcomes if outcome.ran}


def test_an_update_before_backward_is_the_root_of_what_follows():
    (root,) = look(with_own_step(healthy("classifier"), steps_first)).diagnosis
    assert root.probe == "GRD015" and "ran before backward()" in root.finding.message


def test_a_scaled_gradient_has_to_be_unscaled_before_it_is_clipped():
    scaler = torch.amp.GradScaler("cpu")

    def step(unscales):
        def body(model, optimizer, loss):
            optimizer.zero_grad()
            scaler.scale(loss()).backward()
            if unscales:
                scaler.unscale_(optimizer)
            clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()

        return with_own_step(healthy("classifier"), body) | {"grad_scaler": scaler}

    assert told(look(step(True))) == []
    (finding,) = look(step(False)).findings
    assert finding.probe == "GRD017" and "while still scaled by 65536" in finding.message
    assert scaler.get_scale() == 65536.0


def test_what_a_step_carries_over_is_named_at_its_second_call_and_put_back():
    kept, count = [], 0
    facts = healthy("classifier")
    model, optimizer = facts["model"], facts["optimizer"]

    def training_step(batch):
        nonlocal count
        count += 1
        loss = facts["compute_loss"](model, batch) + (0 * kept[-1] if kept else 0)
        kept.append(loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    (finding,) = look(facts | {"training_step": training_step}).findings
    assert finding.probe == "GRD019" and finding.measured["call"] == 2
    assert count == 0 and not kept


def test_nothing_is_left_of_the_own_steps():
    facts = with_own_step(healthy("hybrid"), usual)
    weights = {name: value.clone() for name, value in facts["model"].state_dict().items()}
    state, backward = torch.get_rng_state(), torch.autograd.backward
    look(facts)
    assert all(torch.equal(value, weights[name]) for name, value in facts["model"].state_dict().items())
    assert not facts["optimizer"].state and not facts["optimizer"]._optimizer_step_pre_hooks
    assert torch.equal(torch.get_rng_state(), state) and torch.autograd.backward is backward
    assert all(parameter.grad is None for parameter in facts["model"].parameters())


# Memory


def census():
    """Bytes of every storage that some tensor looks at."""
    gc.collect()
    tensors = [one for one in gc.get_objects() if issubclass(type(one), torch.Tensor)]
    return sum({one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in tensors}.values())


def test_at_most_one_copy_of_weights_and_state_is_held_and_it_is_gone_afterwards(monkeypatch):
    facts = with_own_step(healthy("hybrid"), usual)
    batch = next(iter(facts["train_batches"]))
    facts["training_step"](batch)  # the optimiser has a state to keep
    facts["optimizer"].zero_grad()
    tensors = [*facts["model"].state_dict().values(), *_tensors(facts["optimizer"].state)]
    weights = sum(one.untyped_storage().nbytes() for one in tensors)
    live, most, clone = [0], [0], torch.UntypedStorage.clone

    def counted(storage):
        copy = clone(storage)
        live[0] += copy.nbytes()
        most[0] = max(most[0], live[0])
        weakref.finalize(copy, lambda size: live.__setitem__(0, live[0] - size), copy.nbytes())
        return copy

    monkeypatch.setattr(torch.UntypedStorage, "clone", counted)
    before = census()
    assert look(facts | {"train_batches": [batch]}).verdict == "go"
    assert census() == before
    batches = 3 * sum(one.untyped_storage().nbytes() for one in batch.values())  # copies of it are used up
    assert 0 < most[0] <= weights + batches and live[0] == 0


def _tensors(state):
    return [value for held in state.values() for value in held.values() if isinstance(value, torch.Tensor)]


# Depth, size, units


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
    assert finding.severity == "warning" and "by 0.1 each" in finding.message
    (finding,) = gradient_explodes(Gradients((), 1.0), (LayerGradients("layers", names, grows),))
    assert finding.severity == "warning" and "by 10 each" in finding.message
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


def test_an_activation_built_from_a_tanh_may_be_flat():
    from transformers.activations import ACT2FN

    for name in ("gelu_new", "quick_gelu", "silu"):
        torch.manual_seed(0)
        model = Between(ACT2FN[name])
        nn.init.normal_(model.before.weight, std=20.0)
        assert not look(classifying(model)).findings, name


# What raises


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


# Hand-written functions


def function(forward, backward):
    def keep(ctx, x):
        ctx.save_for_backward(x)
        return forward(x)

    def back(ctx, gradient):
        return backward(ctx.saved_tensors[0], gradient)

    return type("Own", (torch.autograd.Function,), {"forward": staticmethod(keep), "backward": staticmethod(back)})


FUNCTIONS = {
    "square": (lambda x: x * x, lambda x, g: 2 * x * g, None),
    "square, half of it": (lambda x: x * x, lambda x, g: x * g, "error"),
    "swish without its second term": (lambda x: x * x.sigmoid(), lambda x, g: g * x.sigmoid(), "error"),
    "centred, without the mean's own part": (lambda x: x - x.mean(-1, keepdim=True), lambda x, g: g, "error"),
    "relu": (lambda x: x.relu(), lambda x, g: g * (x > 0), None),
    "clamp": (lambda x: x.clamp(-0.2, 0.2), lambda x, g: g * (x.abs() < 0.2), None),
    "float32 inside": (lambda x: (x.float() ** 2).to(x.dtype), lambda x, g: 2 * x * g, None),
    "reversal": (lambda x: x.clone(), lambda x, g: -0.1 * g, "note"),
    "rounding, straight through": (lambda x: x.round(), lambda x, g: g, "note"),
    "clamp, straight through": (lambda x: x.clamp(-0.2, 0.2), lambda x, g: g, "note"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_hand_written_backward_is_held_against_differences(name):
    forward, backward, severity = FUNCTIONS[name]
    own = function(forward, backward)
    usual_forward = own.forward
    facts = healthy("classifier")
    hook_output(facts["model"][0], own.apply)
    assert told(look(facts)) == ([("GRD021", severity)] if severity else [])
    assert own.forward is usual_forward


def test_checkpointing_is_no_hand_written_function():
    class Saving(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(24, 24)

        def forward(self, x):
            return torch.utils.checkpoint.checkpoint(self.inner, x, use_reentrant=True)

    assert not look(classifying(Between(Saving()))).findings


# Parts of the loss


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


# Chance


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
    step = take_first_step(facts["model"], batch, usual_loss(facts) or loss_of_output, optimizer=facts["optimizer"])
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

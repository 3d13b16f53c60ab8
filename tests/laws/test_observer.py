"""The observer's law, first way: whatever happens inside `observed`, everything is bit for bit what it was."""

import random
import signal

import numpy as np
import pytest
import torch
from torch import nn

from probes.facts.core.observer import restore_afterwards
from tests.support.state_picture import picture, switches


class Odd(nn.Module):
    """A model with a bit of everything that a forward pass may change."""

    def __init__(self):
        super().__init__()
        with pytest.warns(FutureWarning):
            self.old = nn.utils.weight_norm(nn.Linear(4, 4))
        self.new = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))
        self.spectral = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4))
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(4, 4)
        self.tied = nn.Linear(4, 4, bias=False)
        self.tied.weight = self.head.weight
        self.register_buffer("spread", torch.arange(4.0)[:, None].expand(4, 3))
        self.calls, self.history, self.best = 0, [], {}
        self.generator, self.noise = np.random.default_rng(3), torch.Generator().manual_seed(3)
        self.plain = torch.zeros(2)

    def forward(self, x):
        self.calls += 1
        self.history.append(self.calls)
        self.best[self.calls] = x
        self.plain += 1
        x = x + float(self.generator.normal()) + torch.randn(1, generator=self.noise)
        x = x + np.random.rand() + random.random()
        return self.tied(self.head(self.drop(self.norm(self.spectral(self.new(self.old(x)))))))


def world():
    torch.manual_seed(0)
    model = Odd()
    model.drop.eval()
    model.old.bias.requires_grad_(False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    return model, optimizer, scheduler, scaler


def one_step(model, optimizer, scheduler, scaler):
    scaler.scale(model(torch.randn(8, 4)).square().mean()).backward()
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()


def state_of(model, optimizer, scheduler, scaler):
    generators = model.generator.bit_generator.state, model.noise.get_state().tolist()
    attributes = list(model.history), dict(model.best), model.calls, model.plain.tolist()
    return picture(model, optimizer, scheduler, scaler), repr(generators), repr(attributes)


@pytest.mark.parametrize("steps_before", [0, 2])
def test_a_training_step_inside_leaves_nothing(steps_before):
    whole = world()
    for _ in range(steps_before):
        one_step(*whole)
    before = state_of(*whole)
    with restore_afterwards(*whole):
        for _ in range(3):
            one_step(*whole)
        assert state_of(*whole) != before
    assert state_of(*whole) == before


def wreck(model, optimizer, scheduler, scaler):
    """Everything that an instrument, or the user's code inside it, may do to a model."""
    one_step(model, optimizer, scheduler, scaler)
    model.train().half()
    model.requires_grad_(False)
    model.head.register_forward_hook(lambda *given: None)
    nn.modules.module.register_module_forward_hook(lambda *given: None)
    model.head.weight.data.fill_(7)
    model.norm.running_mean.zero_()
    model.extra = nn.Linear(1, 1)
    model.register_parameter("late", nn.Parameter(torch.zeros(1)))
    del model.tied
    optimizer.add_param_group({"params": [nn.Parameter(torch.zeros(1))]})
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    torch.use_deterministic_algorithms(True)
    torch.autograd.set_detect_anomaly(True)
    torch.autocast("cpu").__enter__()
    torch.set_num_threads(torch.get_num_threads() + 1)
    torch.manual_seed(5)
    np.random.seed(5)
    random.seed(5)


@pytest.mark.parametrize("ending", [None, ValueError, KeyboardInterrupt, SystemExit])
def test_everything_comes_back_however_the_body_ends(ending):
    whole = world()
    one_step(*whole)
    before, hooks = state_of(*whole), len(nn.modules.module._global_forward_hooks)
    try:
        with restore_afterwards(*whole):
            wreck(*whole)
            if ending:
                raise ending("the body ends")
    except (ValueError, KeyboardInterrupt, SystemExit) as error:
        assert type(error) is ending
    else:
        assert ending is None
    assert state_of(*whole) == before
    assert len(nn.modules.module._global_forward_hooks) == hooks


def test_an_autocast_left_open_inside_does_not_hide_later_updates():
    model = nn.Linear(1, 1, bias=False)
    with restore_afterwards(model):
        torch.autocast("cpu", dtype=torch.bfloat16).__enter__()
    for value in (1.0, 2.0):
        with torch.no_grad():
            model.weight.fill_(value)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert model(torch.ones(1, 1)).item() == value


def test_gradients_keep_their_identity_and_none_stays_none():
    model = nn.Linear(2, 2)
    model.weight.grad = torch.full((2, 2), 3.0)
    held = model.weight.grad
    with restore_afterwards(model):
        assert model.weight.grad is None
        model(torch.ones(1, 2)).sum().backward()
        assert model.bias.grad is not None
    assert model.weight.grad is held and held.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert model.bias.grad is None


def test_an_optimiser_without_state_has_none_afterwards():
    model, optimizer, scheduler, scaler = world()
    with restore_afterwards(model, optimizer, scheduler, scaler):
        one_step(model, optimizer, scheduler, scaler)
        assert len(optimizer.state)
    assert not optimizer.state
    assert scaler._scale is None and scheduler.last_epoch == 0


def test_nan_bits_survive():
    model = nn.Linear(3, 1)
    model.weight.data.view(torch.int32)[0, 0] = 0x7FC12345  # a NaN with a payload
    with restore_afterwards(model):
        model.weight.data.zero_()
    assert int(model.weight.data.view(torch.int32)[0, 0]) == 0x7FC12345


def test_a_second_interrupt_while_putting_back_waits():
    model = nn.Linear(2, 2)
    before = picture(model)
    from probes.facts.core import snapshot

    usual = snapshot.Snapshot.put_back

    def slow(self):
        signal.raise_signal(signal.SIGINT)
        usual(self)

    snapshot.Snapshot.put_back = slow
    try:
        with pytest.raises(KeyboardInterrupt), restore_afterwards(model):
            model.weight.data.zero_()
    finally:
        snapshot.Snapshot.put_back = usual
    assert picture(model) == before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_costs_one_copy_of_weights_and_optimiser_state():
    model = nn.Linear(64, 64)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(1, 64)).sum().backward()
    optimizer.step()
    weights = sum(p.numel() * 4 for p in model.parameters())
    state = sum(t.numel() * t.element_size() for entry in optimizer.state.values() for t in entry.values())
    with restore_afterwards(model, optimizer) as keeper:
        held = sum(copy.nbytes() for _, copy in keeper._storages.values())
    assert held == weights + state


def test_a_lazy_model_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"weight has no shape yet"), restore_afterwards(nn.LazyLinear(3)):
        pass


def test_without_a_model_random_states_and_switches_come_back():
    before = switches(), torch.get_rng_state().tolist(), random.getstate()
    with restore_afterwards():
        torch.rand(3)
        random.random()
        torch.set_grad_enabled(False)
    assert (switches(), torch.get_rng_state().tolist(), random.getstate()) == before

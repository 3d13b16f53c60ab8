"""The observer's law, second way: a run after a preflight has the same losses, to the last bit, as one without."""

import random

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import diagnose
from probes.facts.core.model_output import loss_of_output
from probes.healthy import NAMES, healthy
from tests.support.state_picture import picture

pytestmark = pytest.mark.slow  # whole runs

STEPS = 20


def seed_everything():
    torch.manual_seed(11)
    np.random.seed(11)
    random.seed(11)


def losses_of(facts, steps=STEPS, scaler=None):
    """A plain loop over as many epochs as it takes; losses by their bits."""
    model, optimizer = facts["model"], facts["optimizer"]
    compute_loss = facts.get("compute_loss", loss_of_output)
    model.train()
    losses = []
    while len(losses) < steps:
        for batch in facts["train_batches"]:
            optimizer.zero_grad()
            loss = compute_loss(model, batch)
            (loss if scaler is None else scaler.scale(loss)).backward()
            if scaler is None:
                optimizer.step()
            else:
                scaler.step(optimizer)
                scaler.update()
            losses.append(loss.item().hex())
    return losses[:steps]


def with_and_without(build, **more):
    """Losses of the same run twice: once after a preflight, once not."""
    runs = []
    for look_first in (True, False):
        seed_everything()
        facts = build()
        if look_first:
            report = diagnose.preflight(**facts)
            assert report.verdict == "go", report.headline
        runs.append(losses_of(facts, **more))
    return runs


@pytest.mark.parametrize("name", NAMES)
def test_twenty_steps_are_the_same_for_every_architecture(name):
    looked, plain = with_and_without(lambda: healthy(name))
    assert looked == plain and len(set(plain)) == STEPS


@pytest.mark.parametrize("name", NAMES)
def test_a_full_preflight_changes_no_bit(name):
    facts = healthy(name)
    seed_everything()
    losses_of(facts, steps=2)  # gradients and an optimiser with state
    facts["model"].eval()
    before = picture(facts["model"], facts["optimizer"])
    assert diagnose.preflight(everything=True, **facts).verdict == "go"
    assert picture(facts["model"], facts["optimizer"]) == before


class Noisy(Dataset):
    """Augments with a generator of its own, as many datasets do, and counts what it gave."""

    def __init__(self, generator):
        self.generator, self.given = generator, 0
        self.x, self.y = torch.eye(12)[torch.arange(40) % 5], torch.arange(40) % 5

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        self.given += 1
        noise = self.generator.normal(size=12) if hasattr(self.generator, "normal") else self.generator.gauss(0, 1)
        return self.x[index] + torch.as_tensor(noise, dtype=torch.float32), self.y[index]


def on_pairs(loader, model=None):
    facts = healthy("classifier")
    model = model or facts["model"]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    return {**facts, "model": model, "optimizer": optimizer, "train_batches": loader}


def noisy(source, **loading):
    return DataLoader(Noisy(source), batch_size=4, shuffle=True, **loading)


class Epochs(torch.utils.data.Sampler):
    """A sampler that moves on by itself, epoch by epoch."""

    def __init__(self):
        self.epoch = 0

    def __iter__(self):
        self.epoch += 1
        yield from np.random.default_rng(self.epoch).permutation(40).tolist()

    def __len__(self):
        return 40


HIDDEN = np.random.default_rng(0)


def hidden_noise(items):
    """A collator that draws from a generator of its module, where nobody looks."""
    x, y = torch.utils.data.default_collate(items)
    return x + torch.as_tensor(HIDDEN.normal(size=x.shape), dtype=torch.float32), y


LOADERS = {
    "generator": lambda: noisy(np.random.default_rng(1), generator=torch.Generator().manual_seed(4)),
    "numpy_generator": lambda: noisy(np.random.default_rng(1)),
    "numpy_random_state": lambda: noisy(np.random.RandomState(1)),
    "python_random": lambda: noisy(random.Random(1)),
    "workers": lambda: noisy(np.random.default_rng(1), num_workers=2),
    "persistent_workers": lambda: noisy(np.random.default_rng(1), num_workers=1, persistent_workers=True),
    "sampler_with_epochs": lambda: DataLoader(Noisy(random.Random(1)), batch_size=4, sampler=Epochs()),
}


@pytest.mark.parametrize("kind", LOADERS)
def test_loaders_that_carry_random_state_do_not_notice(kind):
    looked, plain = with_and_without(lambda: on_pairs(LOADERS[kind]()))
    assert looked == plain and len(set(plain)) == STEPS


def test_persistent_workers_that_are_already_running_do_not_notice():
    def build():
        facts = on_pairs(LOADERS["persistent_workers"]())
        losses_of(facts, steps=10)  # the workers stand, and their generators have moved on
        return facts

    looked, plain = with_and_without(build)
    assert looked == plain


def test_a_generator_hidden_in_a_module_does_not_notice():
    def build():
        HIDDEN.bit_generator.state = np.random.default_rng(7).bit_generator.state
        return on_pairs(noisy(random.Random(1), collate_fn=hidden_noise))

    looked, plain = with_and_without(build)
    assert looked == plain


def test_a_one_shot_iterator_is_not_used_up():
    batches = iter(DataLoader(Noisy(random.Random(1)), batch_size=4))
    diagnose.preflight(**on_pairs(batches))
    assert sum(1 for _ in batches) == 10


def test_a_list_of_batches_is_not_written_to():
    def greedy_loss(model, batch):
        x, y = batch.pop("x"), batch.pop("y")
        return nn.functional.cross_entropy(model(x.mul_(2)), y)

    batches = [{"x": torch.ones(4, 12), "y": torch.arange(4)} for _ in range(3)]
    own = {"compute_loss": greedy_loss, "labels_of": lambda batch: batch["y"]}
    facts = {name: value for name, value in on_pairs(batches).items() if name not in ("train_dataset", "collate")} | own
    assert diagnose.preflight(**facts).verdict == "go"
    assert all(batch["x"].eq(1).all() and set(batch) == {"x", "y"} for batch in batches)


def old_weight_norm():
    with pytest.warns(FutureWarning):
        layer = nn.utils.weight_norm(nn.Linear(12, 24))
    return nn.Sequential(layer, nn.BatchNorm1d(24), nn.Dropout(0.3), nn.Linear(24, 5))


def test_weight_norm_and_batch_norm_do_not_notice():
    looked, plain = with_and_without(lambda: on_pairs(LOADERS["numpy_generator"](), old_weight_norm()))
    assert looked == plain


def test_an_optimiser_with_state_and_a_scaler_do_not_notice():
    def build():
        facts = on_pairs(LOADERS["numpy_generator"]())
        scaler = torch.amp.GradScaler("cpu", init_scale=64.0, growth_interval=3)
        losses_of(facts, steps=5, scaler=scaler)
        return facts | {"grad_scaler": scaler}

    runs = []
    for look_first in (True, False):
        seed_everything()
        facts = build()
        if look_first:
            assert diagnose.preflight(**facts).verdict == "go"
        runs.append((losses_of(facts, scaler=facts["grad_scaler"]), facts["grad_scaler"].get_scale()))
    assert runs[0] == runs[1]


def test_where_nothing_can_be_forked_attributes_come_back_and_the_report_says_so(monkeypatch):
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    looked, plain = with_and_without(lambda: on_pairs(LOADERS["generator"]()))
    assert looked == plain
    report = diagnose.preflight(**on_pairs(LOADERS["generator"]()))
    note = next(finding for finding in report.findings if finding.probe == "DAT004")
    assert note.severity == "note" and "4 batches were drawn in the training process itself" in note.message


def test_ctrl_c_in_the_middle_of_a_pass_leaves_the_model_as_it_was():
    facts = healthy("hybrid")
    losses_of(facts, steps=1)
    before = picture(facts["model"], facts["optimizer"])
    calls = []

    def interrupted(model, batch):
        loss = loss_of_output(model, batch)
        loss.backward()
        facts["optimizer"].step()
        calls.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        diagnose.preflight(**{**facts, "compute_loss": interrupted})
    assert calls and picture(facts["model"], facts["optimizer"]) == before

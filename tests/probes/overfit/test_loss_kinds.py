"""Losses that only look wrong while rows are learnt by heart, those that are wrong, and what an interruption leaves."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, kl_div

import diagnose
from diagnose.engine import discovery
from diagnose.engine.context import FactFailed
from diagnose.engine.engine import installed
from probes.faults.kit.forward_changes import usual_loss
from probes.healthy import healthy
from tests.support.state_picture import picture

FAULTS = {fault.id: fault for fault in discovery.faults().items}


def curve(**facts):
    return installed().context(facts).get("overfit_curve")


def classified(model, batch):
    return cross_entropy(model(batch[0]), batch[1])


def mixed(model, batch):
    """Mixup: rows and labels are drawn anew together."""
    share, order = float(torch.rand(())), torch.randperm(len(batch[0]))
    said = model(share * batch[0] + (1 - share) * batch[0][order])
    return share * cross_entropy(said, batch[1]) + (1 - share) * cross_entropy(said, batch[1][order])


def dealt_out(model, batch):
    order = torch.randperm(len(batch[0]))
    return classified(model, (batch[0][order], batch[1][order]))


@pytest.mark.parametrize("loss", [mixed, dealt_out])
@pytest.mark.parametrize("seed", range(3))
def test_rows_that_are_drawn_anew_with_their_labels_are_learnt_with_the_same_draws(loss, seed):
    facts = {**healthy("classifier", seed), "compute_loss": loss}
    torch.manual_seed(seed)
    run = curve(**facts)
    assert run.learnt and run.is_random
    assert not diagnose.preflight(select=["LRN0*"], **facts).findings


@pytest.mark.parametrize("seed", range(6))
def test_labels_of_two_rows_that_change_places_are_seen_to_do_so(seed):
    torch.manual_seed(seed)
    x, y = torch.randn(2, 6), torch.tensor([0, 1])
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
    facts = {"compute_loss": lambda model, batch: classified(model, (batch[0], batch[1][torch.randperm(2)]))}
    assert curve(model=model, train_batches=[(x, y)], **facts).relabelled


def test_a_teachers_soft_targets_are_neither_wrong_labels_nor_a_standstill():
    for seed in range(3):
        facts = healthy("classifier", seed)
        teacher = nn.Linear(12, 5)

        def taught(model, batch, teacher=teacher):
            with torch.no_grad():
                wanted = teacher(batch[0]).mul(3).softmax(-1)
            return kl_div(model(batch[0]).log_softmax(-1), wanted, reduction="batchmean")

        facts = {**facts, "compute_loss": taught}
        assert not diagnose.preflight(select=["LRN00*", "LRN01*"], **facts).findings


def test_labels_with_one_more_place_than_the_scores_are_laid_over_them():
    """(source, target) pairs, as people write them: the loss is of target[:, 1:]."""
    torch.manual_seed(0)
    x, y = torch.randn(6, 8), torch.randint(1, 9, (6, 5))

    class Told(nn.Module):
        def __init__(self):
            super().__init__()
            self.read, self.table, self.head = nn.Linear(8, 32), nn.Embedding(9, 32), nn.Linear(32, 9)

        def forward(self, x, prefix):
            return self.head((self.read(x)[:, None] + self.table(prefix).cumsum(1)).tanh())

    def loss(turned):
        def scored(model, batch):
            said, wanted = model(batch[0], batch[1][:, :-1]), batch[1][:, 1:]
            return cross_entropy((said.transpose(0, 1) if turned else said).reshape(-1, 9), wanted.flatten())

        return scored

    assert curve(model=Told(), train_batches=[(x, y)], compute_loss=loss(False)).target_agreement == 1.0
    assert curve(model=Told(), train_batches=[(x, y)], compute_loss=loss(True)).target_agreement < 0.6


def test_a_frozen_head_that_creeps_is_seen_to_learn_once_it_is_set_free():
    """Its loss gains some thousandths with each update to the last, far above what the labels' statistics give."""
    facts = FAULTS["head_frozen"].inject(healthy("e2e", 1))
    run = curve(**facts)
    assert not run.learnt and run.unfrozen_trial is not None


@pytest.mark.parametrize("fact", ["overfit_curve", "rate_trial", "rate_sweep", "swapped_target_loss"])
@pytest.mark.parametrize(("raised", "told"), [(RuntimeError, FactFailed), (KeyboardInterrupt, KeyboardInterrupt)])
def test_everything_is_as_it_was_after_an_error_and_after_ctrl_c(fact, raised, told):
    facts = healthy("classifier")
    model, optimizer, loss, calls = facts["model"], facts["optimizer"], usual_loss(facts), []
    loss(model, next(iter(facts["train_batches"]))).backward()
    optimizer.step()
    model[0].weight.grad = None
    model.eval()[4].train()
    given = {**facts, "first_step": installed().context(facts).get("first_step"), "pairs_requested": True}
    before = picture(model, optimizer)

    def breaks(model, batch):
        calls.append(batch)
        if len(calls) > 8:
            raise raised("in the middle")
        return loss(model, batch)

    with pytest.raises(told):
        installed().context({**given, "compute_loss": breaks}).get(fact)
    assert len(calls) == 9 and picture(model, optimizer) == before

"""Losses that make their own targets, that no shift or scale changes, and outputs that cannot reach their labels."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import diagnose

ROWS, CLASSES = torch.randn(64, 8), torch.randint(0, 3, (64,))
CHOSEN = ["LOS006", "LOS010"]


def layers(width: int, *more: nn.Module) -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, width), *more)


def findings(compute_loss, labels=CLASSES, model=None):
    batches = [(ROWS[n : n + 16], labels[n : n + 16]) for n in range(0, 64, 16)]
    facts = {"model": model or layers(8), "train_batches": batches, "compute_loss": compute_loss}
    return [(one.probe, str(one.severity)) for one in diagnose.preflight(select=CHOSEN, **facts).findings]


def autoencoder(model, batch):
    rows, _ = batch
    return F.mse_loss(model(rows), rows)


def contrastive(model, batch):
    rows, _ = batch
    z = F.normalize(model(torch.cat([rows, rows + 0.1])), dim=1)
    places = torch.arange(len(z)).roll(len(rows))
    return F.cross_entropy((z @ z.T).fill_diagonal_(-1e9), places)


def own_guesses(model, batch):
    scores = model(batch[0])
    return F.cross_entropy(scores, scores.detach().argmax(-1))


@pytest.mark.parametrize(
    ("compute_loss", "severity"), [(autoencoder, "note"), (contrastive, "note"), (own_guesses, "error")]
)
def test_a_loss_that_never_reads_the_labels_is_an_error_only_where_it_wants_classes(compute_loss, severity):
    assert findings(compute_loss) == [("LOS006", severity)]


def test_labels_are_changed_unevenly_since_a_correlation_sees_no_shift():
    def correlation(model, batch):
        one, other = model(batch[0]), batch[1]
        return -F.cosine_similarity(one - one.mean(1, keepdim=True), other - other.mean(1, keepdim=True)).mean()

    assert findings(correlation, torch.randn(64, 8)) == []


@pytest.mark.parametrize(("more", "alarms"), [((nn.ReLU(),), [("LOS010", "error")]), ((), [])])
def test_a_relu_after_the_last_layer_of_a_regression(more, alarms):
    def compute_loss(model, batch):
        return F.mse_loss(model(batch[0]), batch[1])

    assert findings(compute_loss, torch.randn(64, 1), layers(1, *more)) == alarms
    assert findings(compute_loss, torch.rand(64, 1), layers(1, *more)) == []  # it reaches all of these

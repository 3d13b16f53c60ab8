"""A decoder-only model by hand, with and without its causal mask, for each way to write the next token down."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import diagnose

IDS = torch.stack([torch.randperm(20)[:12] for _ in range(16)])


class LanguageModel(nn.Module):
    def __init__(self, causal: bool) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(20, 16), nn.Parameter(torch.randn(12, 16))
        self.layer, self.head = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True), nn.Linear(16, 20)
        self.causal = causal

    def forward(self, ids):
        length = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length) if self.causal else None
        return self.head(self.layer(self.words(ids) + self.places[:length], src_mask=mask))


def shifted_in_the_loss(model, batch):
    (ids,) = batch
    return F.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


def shifted_by_the_loader(model, batch):
    ids, following = batch
    return F.cross_entropy(model(ids).transpose(1, 2), following)


def of_the_same_place(model, batch):
    (ids,) = batch
    return F.cross_entropy(model(ids).transpose(1, 2), ids)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(
    ("compute_loss", "batch", "foretells"),
    [
        (shifted_in_the_loss, (IDS,), True),
        (shifted_by_the_loader, (IDS[:, :-1], IDS[:, 1:]), True),
        (of_the_same_place, (IDS,), False),  # as an autoencoder of texts has it
    ],
)
def test_a_missing_causal_mask_is_told_where_the_next_token_is_the_target(causal, compute_loss, batch, foretells):
    facts = {"model": LanguageModel(causal), "train_batches": [batch, batch], "compute_loss": compute_loss}
    found = [one.probe for one in diagnose.preflight(select=["LAB012"], **facts).findings]
    assert found == ([] if causal or not foretells else ["LAB012"])

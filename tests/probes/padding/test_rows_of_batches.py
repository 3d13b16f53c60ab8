"""Padding is looked at with batches alone: a row cut at its padding, against the same row in its batch."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import diagnose

LENGTHS = (6, 9, 14, 20)


class Attends(nn.Module):
    """Scores every token after one attention over all of them."""

    def __init__(self, heeds=True):
        super().__init__()
        self.table, self.attention = nn.Embedding(30, 16), nn.MultiheadAttention(16, 2, batch_first=True)
        self.head, self.heeds = nn.Linear(16, 30), heeds

    def forward(self, input_ids, attention_mask=None):
        x = self.table(input_ids)
        hidden = attention_mask == 0 if attention_mask is not None and self.heeds else None
        return self.head(self.attention(x, x, x, key_padding_mask=hidden)[0])


def facts(model, left=False, mask=True):
    rows = [torch.randint(1, 30, (length,)) for length in LENGTHS]
    rows = [row.flip(0) for row in rows] if left else rows
    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
    kept = nn.utils.rnn.pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
    ids, kept = (ids.flip(1), kept.flip(1)) if left else (ids, kept)
    batch = {"input_ids": ids, "labels": ids.masked_fill(kept == 0, -100)} | ({"attention_mask": kept} if mask else {})

    def compute_loss(model, batch):
        logits = model(batch["input_ids"], batch.get("attention_mask"))
        return cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())

    return {"model": model, "train_batches": [batch], "compute_loss": compute_loss}


def found(given):
    report = diagnose.preflight(select=["LAB020", "LAB021", "LAB022", "LAB023", "LAB024"], **given)
    return [finding.probe for finding in report.findings], [outcome.status for outcome in report.outcomes]


def test_a_mask_that_the_model_does_not_use_is_found():
    assert found(facts(Attends(heeds=False)))[0] == ["LAB023"]


def test_a_mask_that_the_model_uses_is_fine():
    names, statuses = found(facts(Attends()))
    assert not names and set(statuses) == {"passed"}


def test_rows_that_are_filled_up_in_front_are_left_alone():
    names, statuses = found(facts(Attends(heeds=False), left=True))
    assert not names and set(statuses) == {"skipped"}


class Convolves(Attends):
    """Two convolutions before the attention: behind the first, padding is no longer zero."""

    def __init__(self):
        super().__init__()
        self.convs = nn.Sequential(*(nn.Conv1d(16, 16, 3, padding=1) for _ in range(2)))

    def forward(self, input_ids, attention_mask=None):
        x = self.convs((self.table(input_ids) * attention_mask[..., None]).transpose(1, 2)).transpose(1, 2)
        return self.head(self.attention(x, x, x, key_padding_mask=attention_mask == 0)[0])


def test_the_edge_that_a_convolution_sees_is_no_padding_that_leaks():
    assert not found(facts(Convolves()))[0]


def test_a_mask_of_ones_over_padding_is_found():
    given = facts(Attends())
    batch = given["train_batches"][0]
    batch["attention_mask"] = torch.ones_like(batch["attention_mask"])
    given["special_ids"] = None
    given["model"].config = type("Config", (), {"pad_token_id": 0, "eos_token_id": None})()
    assert "LAB022" in found({key: value for key, value in given.items() if value is not None})[0]

"""Padding that changes the output: a missing mask, or a norm over time that no mask can mend."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import diagnose


class Framewise(nn.Module):
    """Scores every frame; its norm runs over time."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = nn.Conv1d(4, 8, 3, padding=1), nn.GroupNorm(8, 8), nn.Linear(8, 5)

    def forward(self, x, lengths):
        return self.head(self.norm(self.conv(x.transpose(1, 2))).transpose(1, 2))


def test_a_norm_over_time_is_the_architectures_and_a_note():
    items = [(torch.randn(n, 4), torch.tensor(n % 5)) for n in (6, 9, 14, 20)]

    def collate(rows):
        x = nn.utils.rnn.pad_sequence([x for x, _ in rows], batch_first=True)
        return {"x": x, "lengths": torch.tensor([len(x) for x, _ in rows]), "labels": torch.stack([y for _, y in rows])}

    def compute_loss(model, batch):
        return cross_entropy(model(batch["x"], batch["lengths"]).mean(1), batch["labels"])

    facts = {"model": Framewise(), "train_dataset": items, "collate": collate, "compute_loss": compute_loss}
    (finding,) = diagnose.preflight(select=["LAB020", "LAB022", "LAB023"], **facts).findings
    assert (finding.probe, finding.where, finding.severity) == ("LAB023", "norm", "note")
    assert "a collator cannot fix" in finding.message


class Masked(Framewise):
    """Its norm runs over the frames that the mask lets through; without one over all."""

    def forward(self, input_values, attention_mask=None):
        mask = torch.ones_like(input_values) if attention_mask is None else attention_mask.float()
        hidden = self.conv((input_values * mask)[:, None].repeat(1, 4, 1)) * mask[:, None]
        mean = hidden.sum(-1, keepdim=True) / mask.sum(-1)[:, None, None]
        return self.head(self.norm(hidden - mean).transpose(1, 2) if attention_mask is None else (hidden - mean).mT)


def without_a_mask(model):
    """Rows of several lengths, padded, and nothing that says so."""
    items = [(torch.randn(n) + 3, torch.tensor(n % 5)) for n in (6, 9, 14, 20)]

    def collate(rows):
        x = nn.utils.rnn.pad_sequence([x for x, _ in rows], batch_first=True)
        return {"input_values": x, "labels": torch.stack([y for _, y in rows])}

    def compute_loss(model, batch):
        return cross_entropy(model(**{k: v for k, v in batch.items() if k != "labels"})[:, 0], batch["labels"])

    return {"model": model, "train_dataset": items, "collate": collate, "compute_loss": compute_loss}


def test_a_norm_over_time_that_a_mask_would_mend_lacks_its_mask():
    (finding,) = diagnose.preflight(select=["LAB020", "LAB022", "LAB023"], **without_a_mask(Masked())).findings
    assert (finding.probe, finding.where, finding.severity) == ("LAB020", "attention_mask", "warning")


class Refusing(Masked):
    """Takes a mask by name, and cannot work with ours."""

    def forward(self, input_values, attention_mask=None):
        if attention_mask is not None:
            raise RuntimeError("not this one")
        return super().forward(input_values)


def test_a_mask_that_is_refused_leaves_what_was_seen_without_it():
    report = diagnose.preflight(select=["LAB020", "LAB023"], **without_a_mask(Refusing()))
    assert report.findings and all(outcome.ran for outcome in report.outcomes)

"""Language models and attention as their authors write them: masks, shifted targets, a state between batches."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, TensorDataset

from tests.zoo.registry import Facts, setup

PAD, BEGIN, END, LETTERS = 0, 1, 2, 12


class CharModel(nn.Module):
    """Keeps its state for the next batch, cut from the graph; a batch of another size begins anew."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.lstm = nn.Embedding(LETTERS, 16), nn.LSTM(16, 48, batch_first=True)
        self.head = nn.Linear(48, LETTERS)
        self.state: tuple[torch.Tensor, torch.Tensor] | None = None

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        if self.state is not None and self.state[0].shape[1] != len(letters):
            self.state = None
        out, (h, c) = self.lstm(self.embedding(letters), self.state)
        self.state = (h.detach(), c.detach())
        return self.head(out)


@setup
def stateful_char_model() -> Facts:
    """One long text in eight parallel strips, read on from batch to batch; clipped, as in pytorch/examples."""
    table = torch.randn(LETTERS, LETTERS).mul(2).softmax(-1)
    text = [0]
    for _ in range(8 * 200):
        text.append(int(torch.multinomial(table[text[-1]], 1)))
    strips = torch.tensor(text[: 8 * 200]).view(8, 200)
    batches = [(strips[:, i : i + 20], strips[:, i + 1 : i + 21]) for i in range(0, 179, 20)]
    model = CharModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

    def compute_loss(model: nn.Module, batch: Any) -> torch.Tensor:
        return F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten())

    def training_step(batch: Any) -> torch.Tensor:
        model.train()
        optimizer.zero_grad()
        loss = compute_loss(model, batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        return loss.detach()

    facts = {"model": model, "train_batches": batches, "compute_loss": compute_loss, "optimizer": optimizer}
    return {**facts, "training_step": training_step}


class Seq2Seq(nn.Module):
    """nn.Transformer with learned positions, a causal mask and key padding masks."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(LETTERS, 32, padding_idx=PAD), nn.Embedding(16, 32)
        self.transformer = nn.Transformer(32, 4, 1, 1, 64, dropout=0.1, batch_first=True)
        self.generator = nn.Linear(32, LETTERS)

    def embed(self, ids: torch.Tensor) -> torch.Tensor:
        return self.tokens(ids) * 32**0.5 + self.positions(torch.arange(ids.shape[1]))

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1]).isinf()
        out = self.transformer(
            self.embed(source),
            self.embed(target),
            tgt_mask=causal,
            src_key_padding_mask=source == PAD,
            tgt_key_padding_mask=target == PAD,
            memory_key_padding_mask=source == PAD,
        )
        return self.generator(out)


@setup
def transformer_seq2seq() -> Facts:
    """Each letter becomes another, in the same order; the targets are shifted in the loss and padded with 0."""
    code = 3 + torch.randperm(LETTERS - 3)
    rows = []
    for _ in range(512):
        source = torch.randint(3, LETTERS, (int(torch.randint(3, 9, ())),))
        target = torch.cat([torch.tensor([BEGIN]), code[source - 3], torch.tensor([END])])
        rows.append((source, target))

    def collate(items: list[tuple[torch.Tensor, torch.Tensor]]) -> tuple[torch.Tensor, torch.Tensor]:
        sources, targets = zip(*items, strict=True)
        return pad_sequence(sources, batch_first=True), pad_sequence(targets, batch_first=True)

    model = Seq2Seq()
    criterion = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)

    def compute_loss(model: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        source, target = batch
        logits = model(source, target[:, :-1])
        return criterion(logits.reshape(-1, LETTERS), target[:, 1:].reshape(-1))

    train = DataLoader(rows[:448], batch_size=32, shuffle=True, collate_fn=collate)
    test = DataLoader(rows[448:], batch_size=32, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 10))
    facts = {"model": model, "train_batches": train, "eval_batches": test, "train_dataset": rows[:448]}
    facts |= {"collate": collate, "compute_loss": compute_loss, "optimizer": optimizer}
    return {**facts, "scheduler": scheduler, "total_steps": 1000}


class AttentionClassifier(nn.Module):
    """A transformer encoder with a mean over the tokens that are no padding."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.positions = nn.Embedding(30, 32), nn.Parameter(0.02 * torch.randn(12, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 3)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        hidden = self.encoder(self.embedding(ids) + self.positions[: ids.shape[1]], src_key_padding_mask=~mask)
        return self.head((hidden * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True))


@setup
def attention_classifier() -> Facts:
    """Which of three ranges most tokens of a row come from."""
    label, length = torch.randint(0, 3, (384,)), torch.randint(4, 13, (384,))
    own, noise = label[:, None] * 10 + torch.randint(0, 10, (384, 12)), torch.randint(0, 30, (384, 12))
    mask = torch.arange(12) < length[:, None]
    ids = torch.where(torch.rand(384, 12) < 0.6, own, noise) * mask
    loader = DataLoader(TensorDataset(ids, mask, label), batch_size=32, shuffle=True)
    model = AttentionClassifier()

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        ids, mask, label = batch
        return F.cross_entropy(model(ids, mask), label)

    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}

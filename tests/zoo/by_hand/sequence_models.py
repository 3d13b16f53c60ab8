"""Recurrent networks as their authors write them: lengths beside the rows, and states between batches."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

from tests.zoo.registry import Facts, setup

SYMBOLS, BANDS = 8, 10
Row = tuple[torch.Tensor, torch.Tensor]


def utterances(rows: int = 256) -> list[Row]:
    """Symbols 1..7, and features that hold each of them for three or four frames."""
    table = torch.randn(SYMBOLS, BANDS)
    data = []
    for _ in range(rows):
        labels = torch.randint(1, SYMBOLS, (int(torch.randint(2, 6, ())),))
        frames = labels.repeat_interleave(torch.randint(3, 5, (len(labels),)))
        data.append((table[frames] + 0.3 * torch.randn(len(frames), BANDS), labels))
    return data


def collate_utterances(items: list[Row]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    features, labels = zip(*items, strict=True)
    lengths, label_lengths = (torch.tensor([len(row) for row in part]) for part in (features, labels))
    return pad_sequence(features, batch_first=True), pad_sequence(labels, batch_first=True), lengths, label_lengths


class Recognizer(nn.Module):
    """A bidirectional LSTM over packed frames."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(BANDS, 32, batch_first=True, bidirectional=True), nn.Linear(64, SYMBOLS)

    def forward(self, features: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = pack_padded_sequence(features, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.head(out).log_softmax(-1)


@setup
def lstm_ctc() -> Facts:
    """CTC over a tuple of features, labels and both lengths; blank is 0 and so is the labels' padding."""
    rows = utterances()
    model = Recognizer()
    criterion = nn.CTCLoss(blank=0, zero_infinity=True)

    def compute_loss(model: nn.Module, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
        features, labels, lengths, label_lengths = batch
        return criterion(model(features, lengths).transpose(0, 1), labels, lengths, label_lengths)

    loader = DataLoader(rows[:224], batch_size=16, shuffle=True, collate_fn=collate_utterances)
    test = DataLoader(rows[224:], batch_size=16, collate_fn=collate_utterances)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    facts = {"model": model, "train_batches": loader, "eval_batches": test, "train_dataset": rows[:224]}
    return {**facts, "collate": collate_utterances, "compute_loss": compute_loss, "optimizer": optimizer}


class Transducer(nn.Module):
    """Encoder, prediction network and joiner: log-probabilities of shape (batch, frames, labels + 1, symbols)."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.GRU(BANDS, 32, batch_first=True)
        self.embedding, self.predictor = nn.Embedding(SYMBOLS, 16), nn.GRU(16, 32, batch_first=True)
        self.joiner = nn.Linear(32, SYMBOLS)

    def forward(self, features: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        before = F.pad(labels, (1, 0))
        frames, history = self.encoder(features)[0], self.predictor(self.embedding(before))[0]
        return self.joiner(torch.tanh(frames[:, :, None] + history[:, None])).log_softmax(-1)


def transducer_loss(
    scores: torch.Tensor, labels: torch.Tensor, lengths: torch.Tensor, label_lengths: torch.Tensor
) -> torch.Tensor:
    """The forward variables of Graves (2012), frame by frame; blank is 0."""
    blank = scores[..., 0]
    emit = scores[:, :, :-1].gather(-1, labels[:, None, :, None].expand(-1, scores.shape[1], -1, 1)).squeeze(-1)
    alphas = []
    for t in range(scores.shape[1]):
        row = [alphas[-1][:, 0] + blank[:, t - 1, 0] if t else torch.zeros(len(scores))]
        for u in range(1, scores.shape[2]):
            up = row[-1] + emit[:, t, u - 1]
            row.append(torch.logaddexp(up, alphas[-1][:, u] + blank[:, t - 1, u]) if t else up)
        alphas.append(torch.stack(row, -1))
    rows, last = torch.arange(len(scores)), lengths - 1
    total = torch.stack(alphas, 1)[rows, last, label_lengths] + blank[rows, last, label_lengths]
    return -total.mean()


@setup
def rnn_transducer() -> Facts:
    """A loss of its own by dynamic programming, as torchaudio's is not in every build."""
    rows = utterances(128)
    model = Transducer()

    def compute_loss(model: nn.Module, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
        features, labels, lengths, label_lengths = batch
        return transducer_loss(model(features, labels), labels, lengths, label_lengths)

    loader = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate_utterances)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}


class Tagger(nn.Module):
    """One class for each sequence, from the last state; rows must be sorted by length."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.lstm = nn.Embedding(20, 16, padding_idx=0), nn.LSTM(16, 32, batch_first=True)
        self.head = nn.Linear(32, 4)

    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = pack_padded_sequence(self.embedding(tokens), lengths, batch_first=True)
        return self.head(self.lstm(packed)[1][0][-1])


@setup
def packed_lstm() -> Facts:
    """Sequences whose tokens mostly come from the range of their class; the collator sorts by length."""
    data = []
    for label in torch.randint(0, 4, (320,)).tolist():
        length = int(torch.randint(4, 12, ()))
        own, noise = 1 + label * 4 + torch.randint(0, 4, (length,)), torch.randint(1, 20, (length,))
        data.append((torch.where(torch.rand(length) < 0.7, own, noise), label))

    def collate(items: list[tuple[torch.Tensor, int]]) -> dict[str, torch.Tensor]:
        tokens, labels = zip(*sorted(items, key=lambda item: -len(item[0])), strict=True)
        padded = pad_sequence(tokens, batch_first=True)
        return {"tokens": padded, "lengths": torch.tensor([len(t) for t in tokens]), "labels": torch.tensor(labels)}

    model = Tagger()

    def compute_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return F.cross_entropy(model(batch["tokens"], batch["lengths"]), batch["labels"])

    loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    facts = {"model": model, "train_batches": loader, "train_dataset": data, "collate": collate}
    return {**facts, "compute_loss": compute_loss, "optimizer": optimizer}

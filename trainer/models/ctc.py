"""CTC besides an attention decoder: character vocabulary, head, and a loss that weighs rows equally."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.modeling_outputs import Seq2SeqLMOutput

from diagnose.common.errors import InputError
from trainer.collate.labels import normalize_text, pad_labels

FILE_NAME = "ctc_vocabulary.json"
BLANK = 0
UNKNOWN = 1


@dataclass
class JointOutput(Seq2SeqLMOutput):
    """A sequence-to-sequence output with the terms of its loss."""

    loss: Tensor | None = None  # type: ignore[assignment]  # transformers has FloatTensor, which no operation gives
    logits: Tensor | None = None  # type: ignore[assignment]
    att_loss: Tensor | None = None
    ctc_loss: Tensor | None = None
    encoder_lengths: Tensor | None = None


class CharacterVocabulary:
    """The characters of the training texts (NFC); 0 is the CTC blank, 1 any unknown character."""

    def __init__(self, characters: Iterable[str]) -> None:
        self.characters = tuple(characters)
        self._ids = {character: index for index, character in enumerate(self.characters, start=UNKNOWN + 1)}

    @classmethod
    def build(cls, texts: Iterable[str]) -> CharacterVocabulary:
        """Collect the characters of all texts, in a fixed order."""
        return cls(sorted(set().union(*map(normalize_text, texts))))

    def __len__(self) -> int:
        return len(self.characters) + UNKNOWN + 1

    def encode(self, text: str) -> list[int]:
        """Turn a text into one id per character."""
        return [self._ids.get(character, UNKNOWN) for character in normalize_text(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Turn ids into text; the blank, -100 and ids out of range are dropped."""
        first = UNKNOWN + 1
        return "".join(self.characters[i - first] for i in ids if first <= i < len(self))

    def save(self, directory: Path | str) -> Path:
        """Write the vocabulary beside the model."""
        path = Path(directory) / FILE_NAME
        path.write_text(json.dumps({"characters": self.characters}, ensure_ascii=False), encoding="utf-8")
        return path

    @classmethod
    def load(cls, directory: Path | str) -> CharacterVocabulary:
        """Read what `save` wrote."""
        path = Path(directory) / FILE_NAME
        try:
            return cls(json.loads(path.read_text(encoding="utf-8"))["characters"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}: no readable CTC vocabulary ({type(error).__name__}); use a directory that this trainer "
                "saved with model.ctc_weight above 0."
            ) from error


class CTCHead(nn.Module):
    """Dropout and one linear layer from encoder frames to CTC logits."""

    def __init__(self, hidden: int, vocabulary: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(hidden, vocabulary)

    def forward(self, frames: Tensor) -> Tensor:
        """Logits of every symbol, blank included, in every frame."""
        return self.projection(self.dropout(frames))


def ctc_labels(vocabulary: CharacterVocabulary, texts: Sequence[str | None]) -> Tensor:
    """Build the padded CTC targets of a batch; a row whose text is None has no target and is all -100."""
    return pad_labels([[] if text is None else vocabulary.encode(text) for text in texts])


def ctc_loss(logits: Tensor, lengths: Tensor, labels: Tensor, blank: int = BLANK) -> Tensor:
    """Mean over the rows that have a target of their CTC loss per target symbol; 0 when no row has one.

    A row too long to be aligned (symbols + repeats > frames) adds 0, not infinity: the data must be filtered for those.
    """
    counts = (labels != -100).sum(dim=1)
    log_probs = functional.log_softmax(logits.float(), dim=-1).transpose(0, 1)
    losses = functional.ctc_loss(
        log_probs, labels.clamp(min=0), lengths, counts, blank=blank, reduction="none", zero_infinity=True
    )
    per_symbol = torch.where(counts > 0, losses / counts.clamp(min=1), 0.0)
    return per_symbol.sum() / (counts > 0).sum().clamp(min=1)


def token_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean cross-entropy over the scored tokens of a batch."""
    return functional.cross_entropy(logits.float().flatten(0, 1), labels.flatten(), ignore_index=-100)


def joint_loss(att: Tensor, ctc: Tensor | None, weight: float) -> Tensor:
    """w * ctc + (1 - w) * att; att alone without a CTC term."""
    return att if ctc is None else weight * ctc + (1.0 - weight) * att

"""Labels of every collator: tokenized text, end token, padding with -100."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import cast

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

IGNORE = -100


def normalize_text(text: str) -> str:
    """Normalize a text: composed Unicode (NFC), single spaces, none at the ends."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def text_ids(tokenizer: PreTrainedTokenizerBase, text: str, side: str = "text_target") -> list[int]:
    """Ids of a text without special tokens; one spelled in the text is split into letters or dropped."""
    reserved = {tokenizer.eos_token_id, tokenizer.pad_token_id, tokenizer.bos_token_id}
    reserved |= set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    ids = tokenizer(**{side: normalize_text(text)}, add_special_tokens=False, split_special_tokens=True).input_ids
    return [i for i in ids if i not in reserved]


def token_ids(tokenizer: PreTrainedTokenizerBase, tokens: Iterable[str]) -> list[int]:
    """The id of each token."""
    return cast("list[int]", tokenizer.convert_tokens_to_ids(list(tokens)))  # a list for a list


def label_row(text: Sequence[int], end: int, limit: int, prefix: Sequence[int] = ()) -> list[int]:
    """Prefix, text and end token in at most `limit` ids; only the text is truncated."""
    room = max(0, limit - len(prefix) - 1)
    return [*prefix, *text[:room], end]


def pad_labels(sequences: Sequence[Sequence[int]], padding: int = IGNORE) -> Tensor:
    """A tensor of rows of any length, with -100 after each row's end."""
    width = max((len(row) for row in sequences), default=0)
    labels = torch.full((len(sequences), width), padding, dtype=torch.long)
    for target, row in zip(labels, sequences, strict=True):
        target[: len(row)] = torch.as_tensor(row, dtype=torch.long)
    return labels


def label_lengths(labels: Tensor) -> Tensor:
    """The number of scored labels of each row."""
    return (labels != IGNORE).sum(dim=-1)


def known_ids(ids: Tensor | Iterable[Sequence[int]], size: int) -> list[list[int]]:
    """Each row without padding and ids outside a vocabulary of `size`."""
    rows = ids.tolist() if isinstance(ids, Tensor) else ids
    return [[int(i) for i in row if 0 <= i < size] for row in rows]

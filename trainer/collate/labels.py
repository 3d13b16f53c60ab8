"""Labels, the one piece every collator shares: what is scored, what is padding, where a row ends."""

import unicodedata
from collections.abc import Iterable, Sequence

import torch
from torch import LongTensor, Tensor
from transformers import PreTrainedTokenizerBase

IGNORE = -100


def normalize_text(text: str) -> str:
    """One spelling for one text: composed Unicode (NFC), single spaces, none at the ends."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def text_ids(tokenizer: PreTrainedTokenizerBase, text: str, side: str = "text_target") -> list[int]:
    """Ids of a text alone; one that spells a special token has it read as letters or dropped, never obeyed."""
    reserved = {tokenizer.eos_token_id, tokenizer.pad_token_id, tokenizer.bos_token_id}
    reserved |= set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    ids = tokenizer(**{side: normalize_text(text)}, add_special_tokens=False, split_special_tokens=True).input_ids
    return [i for i in ids if i not in reserved]


def label_row(text: Sequence[int], end: int, limit: int, prefix: Sequence[int] = ()) -> list[int]:
    """Prefix, text and one end token in at most `limit` ids; only text is ever cut, so every row learns to stop."""
    room = max(0, limit - len(prefix) - 1)
    return [*prefix, *text[:room], end]


def pad_labels(sequences: Sequence[Sequence[int]], padding: int = IGNORE) -> LongTensor:
    """Rows side by side, -100 after each row's end: padding is marked by position, never by comparing ids."""
    width = max((len(row) for row in sequences), default=0)
    labels = torch.full((len(sequences), width), padding, dtype=torch.long)
    for target, row in zip(labels, sequences, strict=True):
        target[: len(row)] = torch.as_tensor(row, dtype=torch.long)
    return labels


def label_lengths(labels: Tensor) -> LongTensor:
    """How many labels of each row are scored."""
    return (labels != IGNORE).sum(dim=-1)


def known_ids(ids: Tensor | Iterable[Sequence[int]], size: int) -> list[list[int]]:
    """The ids a vocabulary of `size` can spell: padding and ids out of range are dropped, row by row."""
    rows = ids.tolist() if hasattr(ids, "tolist") else ids
    return [[int(i) for i in row if 0 <= i < size] for row in rows]

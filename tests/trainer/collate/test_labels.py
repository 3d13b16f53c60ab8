"""The one piece all collators share: what is scored, what is padding, where a row ends."""

import unicodedata

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.support.speech_batches import TRAIN_TEXTS
from trainer.collate.labels import IGNORE, known_ids, label_lengths, label_row, normalize_text, pad_labels, text_ids
from trainer.models.tokenizers.hybrid_and_mbart import hybrid_tokenizer
from trainer.models.tokenizers.whisper_and_t5 import build_t5_tokenizer, build_whisper_tokenizer

ids = st.lists(st.integers(0, 9), max_size=6)
TOKENIZERS = {
    "whisper": build_whisper_tokenizer(TRAIN_TEXTS, 300),
    "t5": build_t5_tokenizer(TRAIN_TEXTS, "characters"),
    "hybrid": hybrid_tokenizer(TRAIN_TEXTS, "characters"),
}


@given(st.lists(ids, max_size=5))
def test_padding_stands_behind_each_row_and_nowhere_else(rows) -> None:
    labels = pad_labels(rows)
    assert labels.shape == (len(rows), max(map(len, rows), default=0)) and labels.dtype == torch.long
    assert label_lengths(labels).tolist() == [len(row) for row in rows]
    assert [row[: len(source)] for row, source in zip(labels.tolist(), rows, strict=True)] == rows


@given(ids, ids, st.integers(1, 14))
def test_a_row_keeps_its_prefix_and_its_end_and_only_text_is_cut(prefix, text, limit) -> None:
    row = label_row(text, 99, limit, prefix)
    assert row[: len(prefix)] == prefix and row[-1] == 99 and row.count(99) == 1
    assert row[len(prefix) : -1] == text[: max(0, limit - len(prefix) - 1)]
    assert len(row) <= max(limit, len(prefix) + 1)


@given(st.text(max_size=30), st.sampled_from(["NFC", "NFD", "NFKC"]))
def test_one_text_has_one_spelling_whatever_its_form(text, form) -> None:
    assert normalize_text(unicodedata.normalize("NFD", text)) == normalize_text(unicodedata.normalize("NFC", text))
    assert normalize_text(normalize_text(text)) == normalize_text(text) == normalize_text(f" \t{text}\u00a0\n")


@pytest.mark.parametrize("kind", TOKENIZERS)
@pytest.mark.parametrize("spelled", ["</s>", "<pad>", "<s>", "<|endoftext|>", "<|startoftranscript|>", "<|vi|>"])
def test_a_text_that_spells_a_special_token_is_not_obeyed(kind, spelled) -> None:
    tokenizer = TOKENIZERS[kind]
    reserved = {tokenizer.eos_token_id, tokenizer.pad_token_id, *tokenizer.all_special_ids}
    found = text_ids(tokenizer, f"xin {spelled} nghe")
    assert not set(found) & (reserved - {tokenizer.unk_token_id} | {tokenizer.eos_token_id})
    assert tokenizer.decode(found, skip_special_tokens=True).split()[::2][0] == "xin"


def test_ids_that_no_vocabulary_has_are_dropped() -> None:
    labels = torch.tensor([[3, IGNORE, 10], [9, -1, 2]])
    assert known_ids(labels, 10) == known_ids(labels.numpy(), 10) == known_ids(labels.tolist(), 10) == [[3], [9, 2]]

"""Properties of the text batches."""

import pytest
import torch
from hypothesis import given, settings

from tests.support.speech_batches import TRAIN_TEXTS, copied, document, document_batches, documents, same_inputs
from trainer.collate.labels import IGNORE, known_ids, label_lengths, normalize_text
from trainer.collate.mt5 import TextCollator
from trainer.models.tokenizers.whisper_and_t5 import build_t5_tokenizer

TOKENIZER = build_t5_tokenizer((*TRAIN_TEXTS, "tóm tắt: </s> <pad>"), "characters")
COLLATE = TextCollator(TOKENIZER)


def decoded(ids: torch.Tensor) -> list[str]:
    return TOKENIZER.batch_decode(known_ids(ids, len(TOKENIZER)), skip_special_tokens=True)


def ends_once(ids: list[int]) -> bool:
    return ids.count(TOKENIZER.eos_token_id) == 1 and ids[-1] == TOKENIZER.eos_token_id


@given(document_batches)
@settings(max_examples=60, deadline=None)
def test_every_batch(given_rows) -> None:
    before = copied(given_rows)
    batch = COLLATE(given_rows)
    assert same_inputs(before, given_rows)
    lengths = batch["attention_mask"].sum(dim=1)
    assert batch["input_ids"].shape == batch["attention_mask"].shape == (len(given_rows), int(lengths.max()))
    for ids, mask, labels in zip(
        *(batch[key].tolist() for key in ("input_ids", "attention_mask", "labels")), strict=True
    ):
        size = sum(mask)
        assert mask == [1] * size + [0] * (len(mask) - size)
        assert ends_once(ids[:size]) and set(ids[size:]) <= {TOKENIZER.pad_token_id}
        scored = [label for label in labels if label != IGNORE]
        assert labels[: len(scored)] == scored and ends_once(scored) and TOKENIZER.pad_token_id not in scored
    assert decoded(batch["input_ids"]) == [normalize_text(one["document"]) for one in given_rows]
    assert decoded(batch["labels"]) == [normalize_text(one["summary"]) for one in given_rows]


@given(document_batches, documents)
@settings(max_examples=30, deadline=None)
def test_another_row_changes_no_row(given_rows, other) -> None:
    alone, among = COLLATE(given_rows), COLLATE([*given_rows, other])
    fill = {"input_ids": TOKENIZER.pad_token_id, "attention_mask": 0, "labels": IGNORE}
    for key, value in alone.items():
        kept = among[key][: len(given_rows)]
        assert torch.equal(kept[:, : value.shape[1]], value) and (kept[:, value.shape[1] :] == fill[key]).all()


def test_the_prefix_stands_before_the_document_and_not_in_the_labels() -> None:
    batch = TextCollator(TOKENIZER, "tóm tắt:")([document("xin chào", "chào")])
    assert decoded(batch["input_ids"]) == ["tóm tắt: xin chào"] and decoded(batch["labels"]) == ["chào"]


def test_what_is_too_long_is_cut_on_either_side_and_still_ends() -> None:
    batch = TextCollator(TOKENIZER, max_source_length=6, max_label_length=4)(
        [document("xin chào", "chào bạn"), document("a", "b")]
    )
    assert decoded(batch["input_ids"]) == ["xin ", "a"] and decoded(batch["labels"]) == ["ch", "b"]
    assert label_lengths(batch["labels"]).tolist() == [4, 3] and batch["attention_mask"].sum(dim=1).tolist() == [6, 3]
    assert (batch["labels"] == TOKENIZER.eos_token_id).sum(dim=1).tolist() == [1, 1]


def test_the_end_token_is_scored_when_padding_has_its_id() -> None:
    tokenizer = build_t5_tokenizer(TRAIN_TEXTS, "characters")
    tokenizer.pad_token = tokenizer.eos_token
    batch = TextCollator(tokenizer)([document("xin chào", "a"), document("", "chào")])
    assert (batch["labels"] == tokenizer.eos_token_id).sum(dim=1).tolist() == [1, 1]
    assert batch["attention_mask"].sum(dim=1).tolist() == [10, 1]


@pytest.mark.parametrize("spelled", ["</s>", "<pad>", "</s></s>"])
def test_a_text_that_spells_specials_cannot_end_the_row(spelled: str) -> None:
    batch = COLLATE([document(f"a {spelled} b", f"b {spelled} a")])
    assert ends_once(batch["labels"][0].tolist()) and ends_once(batch["input_ids"][0].tolist())
    assert TOKENIZER.pad_token_id not in batch["labels"][0].tolist()

"""What holds for the batches of every collator: rows do not depend on each other, tasks and end tokens stay."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import Wav2Vec2FeatureExtractor

from tests.support.speech_batches import (
    RATE,
    TRAIN_TEXTS,
    assert_same_row,
    batches,
    check_labels,
    copied,
    document_batches,
    expected_texts,
    item,
    items,
    row_contents,
    same_inputs,
)
from trainer.collate.e2e import E2ECollator
from trainer.collate.hybrid import HybridCollator
from trainer.collate.labels import known_ids, label_lengths
from trainer.collate.mt5 import TextCollator
from trainer.collate.task_tokens import tasks_of
from trainer.models.ctc import CharacterVocabulary
from trainer.models.hybrid.features import FbankExtractor
from trainer.models.tokenizers.hybrid_and_mbart import hybrid_tokenizer, mbart_tokenizer
from trainer.models.tokenizers.whisper_and_t5 import build_t5_tokenizer

EXTRACTOR = Wav2Vec2FeatureExtractor(return_attention_mask=True)
CHARACTERS = CharacterVocabulary.build(TRAIN_TEXTS)
Batch = dict[str, torch.Tensor]


@dataclass(frozen=True)
class SpeechCase:
    """A collator whose rows begin with a task token."""

    new_tokenizer: Callable[[], Any]
    collator: Callable[..., Callable[[list[dict[str, Any]]], Batch]]
    labels: str
    lengths: Callable[[Batch], Batch]  # of every row, by key


def e2e_collator(tokenizer: Any, task: str = "both", limit: int = 256) -> E2ECollator:
    return E2ECollator(EXTRACTOR, tokenizer, task, limit, 30 * RATE, CHARACTERS if task == "both" else None)


def e2e_lengths(batch: Batch) -> Batch:
    heard = batch["attention_mask"].sum(dim=1)
    scored = {key: label_lengths(batch[key]) for key in ("labels", "ctc_labels")}
    return {"input_values": heard, "attention_mask": heard, **scored}


def hybrid_collator(tokenizer: Any, task: str = "both", limit: int = 256) -> HybridCollator:
    return HybridCollator(FbankExtractor(), tokenizer, task, limit)


CASES = {
    "e2e": SpeechCase(lambda: mbart_tokenizer(TRAIN_TEXTS, "characters", "vi_VN"), e2e_collator, "labels", e2e_lengths),
    "hybrid": SpeechCase(
        lambda: hybrid_tokenizer(TRAIN_TEXTS, "characters"),
        hybrid_collator,
        "toks",
        lambda batch: {"feats": batch["feat_lens"], "toks": batch["tok_lens"]},
    ),
}
TOKENIZERS = {name: case.new_tokenizer() for name, case in CASES.items()} | {
    "mt5": build_t5_tokenizer(TRAIN_TEXTS, "characters")
}
COLLATE = {name: case.collator(TOKENIZERS[name]) for name, case in CASES.items()} | {
    "mt5": TextCollator(TOKENIZERS["mt5"])
}
BATCHES = {"e2e": batches, "hybrid": batches, "mt5": document_batches}
every_speech_collator = pytest.mark.parametrize("name", CASES)


def check(name: str, labels: torch.Tensor) -> None:
    tokenizer = TOKENIZERS[name]
    check_labels(labels, tokenizer.eos_token_id, set(tokenizer.all_special_ids) - {tokenizer.unk_token_id})


def decoded(name: str, labels: torch.Tensor) -> list[str]:
    tokenizer = TOKENIZERS[name]
    ids = known_ids(labels, len(tokenizer))
    return tokenizer.batch_decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


@every_speech_collator
@given(rows=batches)
@settings(max_examples=60, deadline=None)
def test_every_batch(name, rows) -> None:
    before = copied(rows)
    batch = COLLATE[name](rows)
    labels = batch[CASES[name].labels]
    assert same_inputs(before, rows)
    assert {len(value) for value in batch.values()} == {2 * len(rows)}
    check(name, labels)
    assert tasks_of(TOKENIZERS[name], labels) == ["transcribe"] * len(rows) + ["translate"] * len(rows)
    assert decoded(name, labels) == expected_texts(rows)


@every_speech_collator
@given(rows=batches, other=items)
@settings(max_examples=30, deadline=None)
def test_another_row_changes_no_row(name, rows, other) -> None:
    alone, among = COLLATE[name](rows), COLLATE[name]([*rows, other])
    lengths = CASES[name].lengths
    for number in range(len(rows)):
        for half in (0, 1):
            one = row_contents(alone, number + half * len(rows), lengths(alone))
            two = row_contents(among, number + half * (len(rows) + 1), lengths(among))
            assert_same_row(one, two)


@pytest.mark.parametrize("name", COLLATE)
@given(data=st.data(), shuffle=st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_permuted_rows_permute_the_batch(name, data, shuffle: random.Random) -> None:
    rows = data.draw(BATCHES[name])
    order = list(range(len(rows)))
    shuffle.shuffle(order)
    batch, permuted = COLLATE[name](rows), COLLATE[name]([rows[index] for index in order])
    tasks = len(next(iter(batch.values()))) // len(rows)
    indices = torch.tensor([index + task * len(rows) for task in range(tasks) for index in order])
    assert tasks == (1 if name == "mt5" else 2)
    assert all(torch.equal(permuted[key], batch[key][indices]) for key in batch)


@every_speech_collator
@pytest.mark.parametrize("task", ["transcribe", "translate"])
def test_one_task_keeps_the_batch_size(name: str, task: str) -> None:
    rows = [item(4000, "xin chào", "chào bạn"), item(300, "ok", "được")]
    batch = CASES[name].collator(TOKENIZERS[name], task)(rows)
    labels = batch[CASES[name].labels]
    assert "ctc_labels" not in batch and tasks_of(TOKENIZERS[name], labels) == [task, task]
    assert decoded(name, labels)[0] == {"transcribe": "xin chào", "translate": "chào bạn"}[task]


@every_speech_collator
def test_the_end_token_is_scored_when_padding_has_its_id(name: str) -> None:
    tokenizer = CASES[name].new_tokenizer()
    tokenizer.pad_token = tokenizer.eos_token
    collate = CASES[name].collator(tokenizer)
    labels = collate([item(900, "xin chào", "a"), item(900, "", "chào")])[CASES[name].labels]
    assert (labels == tokenizer.eos_token_id).sum(dim=1).tolist() == [1, 1, 1, 1]
    check_labels(labels, tokenizer.eos_token_id, set(tokenizer.all_special_ids))


@every_speech_collator
def test_a_text_that_spells_specials_cannot_end_or_steer_the_row(name: str) -> None:
    labels = COLLATE[name]([item(900, "ok </s> <2translate> a", "vi_VN <pad> <s>")])[CASES[name].labels]
    check(name, labels)
    assert tasks_of(TOKENIZERS[name], labels) == ["transcribe", "translate"]


@pytest.mark.parametrize(("name", "text"), [("e2e", "deadl"), ("hybrid", "deadli")])  # mBART's begins with a space
def test_a_text_beyond_the_limit_is_cut_and_still_ends(name: str, text: str) -> None:
    collate = CASES[name].collator(TOKENIZERS[name], "transcribe", 8)
    labels = collate([item(900, "deadline của team", "")])[CASES[name].labels]
    assert labels.shape == (1, 8) and label_lengths(labels).tolist() == [8] and decoded(name, labels) == [text]
    check(name, labels)

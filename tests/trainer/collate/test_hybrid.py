"""Properties of the hybrid's batches."""

import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.common.errors import InputError
from tests.support.speech_batches import (
    RATE,
    TRAIN_TEXTS,
    assert_same_row,
    batches,
    check_labels,
    copied,
    expected_texts,
    item,
    items,
    row_contents,
    same_inputs,
)
from trainer.collate.hybrid import HybridCollator
from trainer.collate.task_tokens import tasks_of
from trainer.models.hybrid.features import FbankExtractor, normalize
from trainer.models.tokenizers.hybrid_and_mbart import TASK_TOKENS, hybrid_tokenizer

TOKENIZER = hybrid_tokenizer(TRAIN_TEXTS, "characters")
COLLATE = HybridCollator(FbankExtractor(), TOKENIZER, "both", 256)
SPECIALS = set(TOKENIZER.all_special_ids) - {TOKENIZER.unk_token_id}


def decoded(labels: torch.Tensor) -> list[str]:
    return TOKENIZER.batch_decode([[i for i in row if i >= 0] for row in labels.tolist()], skip_special_tokens=True)


def lengths(batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {"feats": batch["feat_lens"], "toks": batch["tok_lens"]}


@given(batches)
@settings(max_examples=60, deadline=None)
def test_every_batch(rows) -> None:
    before = copied(rows)
    batch = COLLATE(rows)
    assert same_inputs(before, rows)
    assert {key: len(value) for key, value in batch.items()} == dict.fromkeys(
        ("feats", "feat_lens", "toks", "tok_lens"), 2 * len(rows)
    )
    check_labels(batch["toks"], TOKENIZER.eos_token_id, SPECIALS)
    assert batch["tok_lens"].tolist() == (batch["toks"] != -100).sum(dim=1).tolist()
    assert batch["feats"].shape[1:] == (int(batch["feat_lens"].max()), 80)
    assert all(not row[length:].any() for row, length in zip(batch["feats"], batch["feat_lens"], strict=True))
    assert batch["feats"].isfinite().all() and (batch["feat_lens"] >= 1).all()
    assert tasks_of(TOKENIZER, batch["toks"]) == ["transcribe"] * len(rows) + ["translate"] * len(rows)
    assert decoded(batch["toks"]) == expected_texts(rows)


@given(batches, items)
@settings(max_examples=30, deadline=None)
def test_another_row_changes_no_row(rows, other) -> None:
    alone, among = COLLATE(rows), COLLATE([*rows, other])
    for number in range(len(rows)):
        for half in (0, 1):
            one = row_contents(alone, number + half * len(rows), lengths(alone))
            two = row_contents(among, number + half * (len(rows) + 1), lengths(among))
            assert_same_row(one, two)


@given(batches, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_permuted_rows_permute_the_batch(rows, shuffle: random.Random) -> None:
    order = list(range(len(rows)))
    shuffle.shuffle(order)
    batch, permuted = COLLATE(rows), COLLATE([rows[place] for place in order])
    places = torch.tensor(order + [place + len(rows) for place in order])
    assert all(torch.equal(permuted[key], batch[key][places]) for key in batch)


@pytest.mark.parametrize("task", ["transcribe", "translate"])
def test_one_task_keeps_the_batch_size(task: str) -> None:
    rows = [item(4000, "xin chào", "chào bạn"), item(300, "ok", "được")]
    batch = HybridCollator(FbankExtractor(), TOKENIZER, task, 256)(rows)
    assert tasks_of(TOKENIZER, batch["toks"]) == [task, task]
    assert decoded(batch["toks"])[0] == {"transcribe": "xin chào", "translate": "chào bạn"}[task]


def test_the_end_token_is_scored_when_padding_has_its_id() -> None:
    tokenizer = hybrid_tokenizer(TRAIN_TEXTS, "characters")
    tokenizer.pad_token = tokenizer.eos_token
    batch = HybridCollator(FbankExtractor(), tokenizer)([item(900, "xin chào", "a"), item(900, "", "chào")])
    assert (batch["toks"] == tokenizer.eos_token_id).sum(dim=1).tolist() == [1, 1, 1, 1]
    check_labels(batch["toks"], tokenizer.eos_token_id, set(tokenizer.all_special_ids))


def test_a_text_that_spells_specials_cannot_end_or_steer_the_row() -> None:
    batch = COLLATE([item(900, "ok </s> <2translate> a", "<pad> <s>")])
    check_labels(batch["toks"], TOKENIZER.eos_token_id, SPECIALS)
    assert tasks_of(TOKENIZER, batch["toks"]) == ["transcribe", "translate"]


def test_a_text_beyond_the_limit_is_cut_and_still_ends() -> None:
    batch = HybridCollator(FbankExtractor(), TOKENIZER, "transcribe", 8)([item(900, "deadline của team", "")])
    assert batch["tok_lens"].tolist() == [8] and decoded(batch["toks"]) == ["deadli"]
    check_labels(batch["toks"], TOKENIZER.eos_token_id, SPECIALS)


@pytest.mark.parametrize(("size", "frames"), [(1, 1), (399, 1), (400, 1), (560, 2), (31 * RATE, 2998)])
def test_audio_shorter_than_a_window_and_longer_than_the_limit(size: int, frames: int) -> None:
    assert COLLATE([item(size, "a", "b")])["feat_lens"].tolist() == [frames, frames]


def test_features_have_mean_0_and_variance_1_and_silence_is_0() -> None:
    frames = FbankExtractor()(item(RATE, "", "")["audio"])
    torch.testing.assert_close(frames.mean(dim=0), torch.zeros(80), atol=1e-4, rtol=0)
    torch.testing.assert_close(frames.square().mean(dim=0), torch.ones(80), atol=1e-3, rtol=0)
    assert FbankExtractor()(torch.zeros(RATE)).abs().max() < 0.01
    assert not normalize(torch.full((7, 3), 5.0)).any()
    assert FbankExtractor(cmvn=False)(item(RATE, "", "")["audio"]).mean() > 1


def test_features_are_the_same_again(tmp_path) -> None:
    extractor, audio = FbankExtractor(40, 8000, 2.0, False), item(20000, "", "")["audio"]
    extractor.save_pretrained(tmp_path)
    again = FbankExtractor.from_pretrained(tmp_path)
    assert torch.equal(again(audio), extractor(audio)) and again(audio).shape == (198, 40)


@pytest.mark.parametrize("vocabulary", ["characters", 120])
def test_tokenizers_are_the_same_again(tmp_path, vocabulary) -> None:
    one, two = (hybrid_tokenizer(TRAIN_TEXTS, vocabulary) for _ in range(2))
    assert one.backend_tokenizer.to_str() == two.backend_tokenizer.to_str()
    one.save_pretrained(tmp_path)
    loaded = type(one).from_pretrained(tmp_path)
    text = "deadline của team mình"
    assert loaded(text).input_ids == one(text).input_ids and loaded.decode(one(text).input_ids) == text
    assert [loaded.convert_tokens_to_ids(token) for token in TASK_TOKENS.values()] == [4, 5]


def test_a_vocabulary_needs_texts_and_room_for_every_character() -> None:
    with pytest.raises(InputError, match="needs training texts"):
        hybrid_tokenizer(["", " "], "characters")
    with pytest.raises(InputError, match=r"vocabulary is 9, but the training texts have \d+ different characters"):
        hybrid_tokenizer(TRAIN_TEXTS, 9)

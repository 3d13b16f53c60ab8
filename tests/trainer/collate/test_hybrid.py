"""Properties of the hybrid's batches."""

import pytest
import torch
from hypothesis import given, settings

from diagnose.common.errors import InputError
from tests.support.speech_batches import RATE, TRAIN_TEXTS, batches, item
from trainer.collate.hybrid import HybridCollator
from trainer.models.hybrid.features import FbankExtractor, normalize
from trainer.models.tokenizers.hybrid_and_mbart import TASK_TOKENS, hybrid_tokenizer

TOKENIZER = hybrid_tokenizer(TRAIN_TEXTS, "characters")
COLLATE = HybridCollator(FbankExtractor(), TOKENIZER, "both", 256)


@given(batches)
@settings(max_examples=60, deadline=None)
def test_every_batch(rows) -> None:
    batch = COLLATE(rows)
    assert set(batch) == {"feats", "feat_lens", "toks", "tok_lens"}
    assert batch["tok_lens"].tolist() == (batch["toks"] != -100).sum(dim=1).tolist()
    assert batch["feats"].shape[1:] == (int(batch["feat_lens"].max()), 80)
    assert all(not row[length:].any() for row, length in zip(batch["feats"], batch["feat_lens"], strict=True))
    assert batch["feats"].isfinite().all() and (batch["feat_lens"] >= 1).all()


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

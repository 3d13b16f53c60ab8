"""Properties of the batches for Wav2Vec2 and mBART."""

import pytest
import torch
from hypothesis import given, settings
from transformers import Wav2Vec2FeatureExtractor

from tests.support.speech_batches import RATE, TRAIN_TEXTS, batches, expected_texts, item
from trainer.collate.e2e import LEAST_SAMPLES, E2ECollator
from trainer.models.ctc import CharacterVocabulary
from trainer.models.tokenizers.hybrid_and_mbart import mbart_tokenizer

EXTRACTOR = Wav2Vec2FeatureExtractor(return_attention_mask=True)
TOKENIZER = mbart_tokenizer(TRAIN_TEXTS, "characters", "vi_VN")
CHARACTERS = CharacterVocabulary.build(TRAIN_TEXTS)
COLLATE = E2ECollator(EXTRACTOR, TOKENIZER, "both", 256, 30 * RATE, CHARACTERS)
START = TOKENIZER.convert_tokens_to_ids("vi_VN")


@given(batches)
@settings(max_examples=60, deadline=None)
def test_every_batch(rows) -> None:
    batch = COLLATE(rows)
    assert set(batch) == {"input_values", "attention_mask", "labels", "ctc_labels"}
    assert not (batch["labels"] == START).any()
    samples = [max(LEAST_SAMPLES, len(row["audio"])) for row in rows]
    assert batch["attention_mask"].sum(dim=1).tolist() == samples * 2
    assert (batch["attention_mask"].diff(dim=1) <= 0).all()
    assert not batch["input_values"][batch["attention_mask"] == 0].any() and batch["input_values"].isfinite().all()
    heard = [CHARACTERS.decode(row) for row in batch["ctc_labels"].tolist()]
    assert heard == expected_texts(rows)[: len(rows)] + [""] * len(rows)


@pytest.mark.parametrize(("size", "kept"), [(1, 400), (399, 400), (400, 400), (31 * RATE, 30 * RATE)])
def test_audio_shorter_than_a_frame_and_longer_than_the_limit(size: int, kept: int) -> None:
    batch = COLLATE([item(size, "a", "b")])
    assert batch["input_values"].shape == (2, kept) and batch["attention_mask"].all()


def test_clips_are_normalised_over_their_own_samples_as_the_library_does() -> None:
    rows = [item(size, "a", "b") for size in (9000, 5000, 7001)]
    rows[1]["audio"] = rows[1]["audio"] * 30 + 2
    batch = COLLATE(rows)
    audio = [row["audio"].numpy() for row in rows]
    expected = EXTRACTOR(audio, sampling_rate=RATE, padding=True, return_tensors="pt")
    torch.testing.assert_close(batch["input_values"][:3], expected.input_values, rtol=1e-4, atol=1e-5)
    assert torch.equal(batch["attention_mask"][:3], expected.attention_mask.long())


def test_silence_stays_silent() -> None:
    row = {**item(4000, "a", "b"), "audio": torch.zeros(4000)}
    assert not COLLATE([row])["input_values"].any()


def test_an_encoder_trained_on_plain_samples_gets_them_plain() -> None:
    row = item(4000, "a", "b")
    plain = E2ECollator(Wav2Vec2FeatureExtractor(do_normalize=False), TOKENIZER)([row])
    assert torch.equal(plain["input_values"][0], row["audio"])

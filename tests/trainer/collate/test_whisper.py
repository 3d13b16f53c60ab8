"""Properties of Whisper's batches, with a vocabulary of the training texts."""

import pytest
import torch
from transformers import WhisperFeatureExtractor

from diagnose.common.errors import InputError
from tests.support.speech_batches import TRAIN_TEXTS, batches
from tests.support.whisper_batches import WhisperBatches, clip
from trainer.collate.labels import label_lengths
from trainer.collate.whisper import WhisperCollator, language_token
from trainer.models.ctc import CharacterVocabulary
from trainer.models.tokenizers.whisper_and_t5 import build_whisper_tokenizer

EXTRACTOR = WhisperFeatureExtractor(chunk_length=1)
TOKENIZER = build_whisper_tokenizer(TRAIN_TEXTS, "characters")
CHARACTERS = CharacterVocabulary.build(TRAIN_TEXTS)


class TestBothTasks(WhisperBatches):
    collate = WhisperCollator(EXTRACTOR, TOKENIZER, "both", cmvn=True, ctc_vocabulary=CHARACTERS)
    batches = batches


@pytest.mark.parametrize("task", ["transcribe", "translate"])
def test_one_task_keeps_the_batch_size(task: str) -> None:
    rows = [clip(0.5) | {"translation": "chào bạn"}, clip(0.1)]
    batch = WhisperCollator(EXTRACTOR, TOKENIZER, task, ctc_vocabulary=CHARACTERS)(rows)
    assert [len(value) for value in batch.values()] == [2, 2, 2]
    assert (batch["labels"][:, 1] == TOKENIZER.convert_tokens_to_ids(f"<|{task}|>")).all()
    assert (batch["ctc_labels"] != -100).any() == (task == "transcribe")


def test_the_end_token_is_scored_though_padding_has_its_id() -> None:
    assert TOKENIZER.pad_token_id == TOKENIZER.eos_token_id == TOKENIZER.bos_token_id
    labels = WhisperCollator(EXTRACTOR, TOKENIZER)([clip(0.2, "xin chào mình"), clip(0.2, "")])["labels"]
    assert (labels == TOKENIZER.eos_token_id).sum(dim=1).tolist() == [1, 1, 1, 1]


def test_a_text_beyond_the_limit_is_cut_and_still_ends() -> None:
    labels = WhisperCollator(EXTRACTOR, TOKENIZER, "transcribe", max_label_length=8)([clip(0.2, "đường xa")])["labels"]
    assert label_lengths(labels).tolist() == [8] and labels[0, -1] == TOKENIZER.eos_token_id
    assert TOKENIZER.decode(labels[0], skip_special_tokens=True) == "đườn"


@pytest.mark.parametrize(("seconds", "frames"), [(0, 0), (0.0001, 1), (0.02, 2), (29.999, 3000), (31, 3000)])
def test_audio_shorter_than_a_window_and_longer_than_30_seconds(seconds: float, frames: int) -> None:
    collate = WhisperCollator(WhisperFeatureExtractor(), TOKENIZER, "transcribe", cmvn=True)
    features = collate([clip(seconds), clip(1)])["input_features"]
    assert features.shape == (2, 80, 3000) and features.isfinite().all()
    assert not features[0, :, frames:].any()
    if seconds > 30:
        cut = clip(seconds) | {"audio": clip(seconds)["audio"][: 30 * 16000]}
        assert torch.equal(collate([cut])["input_features"][0], features[0])


def test_features_have_mean_0_and_variance_1_over_the_speech_alone() -> None:
    collate = WhisperCollator(EXTRACTOR, TOKENIZER, "transcribe", cmvn=True)
    features = collate([clip(0.5)])["input_features"][0, :, :50]
    torch.testing.assert_close(features.mean(dim=1), torch.zeros(80), atol=1e-4, rtol=0)
    torch.testing.assert_close(features.square().mean(dim=1), torch.ones(80), atol=1e-2, rtol=0)


def test_without_cmvn_features_are_those_of_whisper() -> None:
    rows = [clip(0.5), clip(0.9)]
    own = EXTRACTOR([row["audio"].numpy() for row in rows], sampling_rate=16000, return_tensors="pt").input_features
    assert torch.equal(WhisperCollator(EXTRACTOR, TOKENIZER, "translate")(rows)["input_features"], own)


def test_audio_at_another_rate_is_refused_with_its_row() -> None:
    with pytest.raises(InputError, match=r"m.csv:2: the audio has 8000 Hz .* 16000 Hz"):
        WhisperCollator(EXTRACTOR, TOKENIZER)([clip(0.5), clip(0.5) | {"sample_rate": 8000}])


def test_a_language_nobody_speaks_is_refused() -> None:
    assert language_token("Vietnamese") == language_token("vi") == "<|vi|>"
    with pytest.raises(InputError, match=r"has no token <\|xx\|>"):
        WhisperCollator(EXTRACTOR, TOKENIZER, language="xx")([clip(0.5)])

"""Speech that is made on the spot (each letter is a tone), and the collators that everybody copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import transformers as hf

from tests.zoo.hf_models._texts import DOES, WHAT, WHO, vocabulary_file

RATE = 16_000
LETTERS = "abcdefghijklmnopqrstuvwxyz'"


def speech(text: str, pitch: float = 1.0, seconds: float = 0.06) -> np.ndarray:
    """A tone with one overtone for each letter, a pause for each space, and a little noise over all."""
    time = np.arange(int(RATE * seconds)) / RATE
    envelope = np.hanning(len(time))
    parts = [envelope * _tone(letter, pitch, time) for letter in text.lower()]
    noise = np.random.default_rng(len(text)).normal(0, 0.005, len(time) * len(parts))
    return (0.3 * np.concatenate(parts) + noise).astype(np.float32)


def _tone(letter: str, pitch: float, time: np.ndarray) -> np.ndarray:
    if letter not in LETTERS:
        return np.zeros_like(time)
    frequency = 2 * np.pi * pitch * (250 + 90 * LETTERS.index(letter))
    return np.sin(frequency * time) + 0.4 * np.sin(2 * frequency * time)


def utterances(rows: int = 48, seconds: float = 0.06) -> list[dict[str, Any]]:
    """Rows as Common Voice has them: the audio and its sentence, short and long."""
    who, does, what = map(list, (WHO, DOES, WHAT))
    texts = [f"{who[n % 8]} {does[(n * 3 + n // 8) % 8]}" + f" {what[n % 7]}" * (n % 3 > 0) for n in range(rows)]
    pitches = (0.95, 1.0, 1.05)
    return [
        {"audio": {"array": speech(text, pitches[n % 3], seconds), "sampling_rate": RATE}, "sentence": text.lower()}
        for n, text in enumerate(texts)
    ]


class DataCollatorCTCWithPadding:
    """The collator of run_speech_recognition_ctc.py."""

    def __init__(self, processor: Any, key: str = "input_values") -> None:
        self.processor, self.key = processor, key

    def __call__(self, features: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        batch = self.processor.pad([{self.key: f[self.key]} for f in features], padding=True, return_tensors="pt")
        labels = self.processor.pad(labels=[{"input_ids": f["labels"]} for f in features], return_tensors="pt")
        batch["labels"] = labels["input_ids"].masked_fill(labels.attention_mask.ne(1), -100)
        return batch


class DataCollatorSpeechSeq2SeqWithPadding:
    """The collator of run_speech_recognition_seq2seq.py and of the Whisper fine-tuning post."""

    def __init__(
        self, processor: Any, decoder_start_token_id: int, key: str = "input_features", mask: bool = True
    ) -> None:
        self.processor, self.decoder_start_token_id = processor, decoder_start_token_id
        self.key, self.mask = key, mask

    def __call__(self, features: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        inputs = [{self.key: feature[self.key]} for feature in features]
        batch = self.processor.feature_extractor.pad(inputs, return_tensors="pt", return_attention_mask=self.mask)
        labels = self.processor.tokenizer.pad([{"input_ids": f["labels"]} for f in features], return_tensors="pt")
        ids = labels["input_ids"].masked_fill(labels.attention_mask.ne(1), -100)
        if (ids[:, 0] == self.decoder_start_token_id).all().cpu().item():
            ids = ids[:, 1:]
        batch["labels"] = ids
        return batch


def prepared(processor: Any, rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """As `dataset.map(prepare_dataset)` would leave them."""
    return [
        {key: processor.feature_extractor(row["audio"]["array"], sampling_rate=RATE)[key][0],
         "labels": processor.tokenizer(row["sentence"]).input_ids}
        for row in rows
    ]  # fmt: skip


def letters() -> hf.Wav2Vec2CTCTokenizer:
    """One token for each letter, as the CTC scripts make it."""
    vocabulary = vocabulary_file(["[PAD]", "[UNK]", "|", *LETTERS], "letters.json")
    specials = {"unk_token": "[UNK]", "pad_token": "[PAD]", "word_delimiter_token": "|"}
    return hf.Wav2Vec2CTCTokenizer(vocabulary, bos_token=None, eos_token=None, **specials)


def ids_of(tokenizer: Any) -> dict[str, int]:
    """What the configuration needs to know of a tokenizer."""
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    return {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id, **ends}

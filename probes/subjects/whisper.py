"""A Whisper of two layers with its feature extractor; pad and end are one token, as in the real one."""

from functools import cache
from typing import Any

import torch
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration

from probes.subjects.evaluation import sequence_facts
from probes.subjects.tone_corpus import RATE, masked_labels, special_ids, tokenizer

PROMPT = ("<|startoftranscript|>", "<|vi|>", "<|transcribe|>", "<|notimestamps|>")
END = "<|endoftext|>"


@cache
def extractor() -> WhisperFeatureExtractor:
    return WhisperFeatureExtractor(feature_size=40, chunk_length=1)


def collate(items: list[dict[str, Any]]) -> dict[str, Any]:
    features = extractor()([item["audio"] for item in items], sampling_rate=RATE, return_tensors="pt")
    return {"input_features": features["input_features"], "labels": masked_labels(pieces(), items)}


def pieces() -> Any:
    return tokenizer(begin=PROMPT[1:], end=END, padding=END)


def whisper() -> dict[str, Any]:
    ids = pieces()
    config = WhisperConfig(
        vocab_size=len(ids) + 1,  # one more for the start token, which labels never hold
        num_mel_bins=40,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_source_positions=50,
        max_target_positions=64,
        dropout=0.1,
        decoder_start_token_id=len(ids),
        suppress_tokens=None,
        begin_suppress_tokens=None,
        **special_ids(ids),
    )
    model = WhisperForConditionalGeneration(config)
    set_prompt(model, ids)
    return sequence_facts(model, collate, ids, generate, feature_extractor=extractor())


def set_prompt(model: Any, ids: Any) -> None:
    """Language and task in the generation config, so that generation begins as the labels do."""
    _, language, task, silence = PROMPT
    numbers = {token: ids.convert_tokens_to_ids(token) for token in PROMPT[1:]}
    settings = {"language": language, "task": "transcribe", "max_length": 40, "is_multilingual": True}
    settings |= {"lang_to_id": {language: numbers[language]}, "task_to_id": {"transcribe": numbers[task]}}
    for name, value in {**settings, "no_timestamps_token_id": numbers[silence], "_from_model_config": False}.items():
        setattr(model.generation_config, name, value)


def generate(model: Any, batch: Any) -> Any:
    features = batch["input_features"]
    return model.generate(features, attention_mask=torch.ones_like(features[:, 0], dtype=torch.long))

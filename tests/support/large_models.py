"""Models of the sizes that people train, with random weights, each with one batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from transformers import (
    MBartConfig,
    MBartForCausalLM,
    SpeechEncoderDecoderModel,
    T5Config,
    T5ForConditionalGeneration,
    Wav2Vec2Config,
    Wav2Vec2Model,
    WhisperConfig,
    WhisperForConditionalGeneration,
)
from transformers.utils.logging import set_verbosity_error

Sized = tuple[nn.Module, dict[str, torch.Tensor]]


def whisper_tiny() -> Sized:
    model = WhisperForConditionalGeneration(WhisperConfig())
    return model, {"input_features": torch.randn(1, 80, 3000), "labels": torch.randint(9, 50000, (1, 40))}


def t5_small() -> Sized:
    settings: dict[str, Any] = {"decoder_start_token_id": 0}
    model = T5ForConditionalGeneration(T5Config(**settings))
    return model, {"input_ids": torch.randint(9, 32000, (4, 96)), "labels": torch.randint(9, 32000, (4, 48))}


def wav2vec2_mbart() -> Sized:
    """Half as wide and half as deep as the released pair."""
    encoder = Wav2Vec2Model(
        Wav2Vec2Config(hidden_size=384, num_hidden_layers=6, num_attention_heads=6, intermediate_size=1536)
    )
    width: dict[str, Any] = {"d_model": 384, "decoder_ffn_dim": 1536, "vocab_size": 20000}
    depth: dict[str, Any] = {"decoder_layers": 6, "decoder_attention_heads": 6}
    role: dict[str, Any] = {"is_decoder": True, "add_cross_attention": True}
    decoder: Any = MBartForCausalLM(MBartConfig(**width, **depth, **role))
    model: Any = SpeechEncoderDecoderModel(encoder=encoder, decoder=decoder)
    model.config.decoder_start_token_id, model.config.pad_token_id = 2, 1
    return model, {"input_values": torch.randn(2, 48000), "labels": torch.randint(9, 20000, (2, 40))}


SIZED: dict[str, Callable[[], Sized]] = {
    "whisper_tiny": whisper_tiny,
    "t5_small": t5_small,
    "wav2vec2_mbart": wav2vec2_mbart,
}


def sized(name: str) -> Sized:
    """The same at every call."""
    set_verbosity_error()
    torch.manual_seed(0)
    model, batch = SIZED[name]()
    return model.train(), batch

"""Small models with their tokenizers, as the scripts load them, and the rows they are trained on."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch
import transformers as hf
from datasets import Dataset
from torch import nn

from tests.zoo.hf_models._sounds import RATE, ids_of, letters, prepared, utterances
from tests.zoo.hf_models._texts import articles, byte_pieces, translations, unigram_pieces

ENCODER_DECODER = {"d_model": 48, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4}
ENCODER_DECODER |= {"decoder_attention_heads": 4, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96}
T5 = {"d_model": 48, "d_kv": 12, "d_ff": 96, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.0}
SPECIALS = ["<|startoftranscript|>", "<|en|>", "<|fr|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>"]
SPECIALS += ["<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
PREFIX = "translate English to French: "


@cache
def spoken(rows: int = 48) -> tuple[dict[str, Any], ...]:
    """Audio and its sentence."""
    return tuple(utterances(rows))


def whisper_processor(language: str | None = "en", **more: Any) -> hf.WhisperProcessor:
    texts = tuple(row["sentence"] for row in spoken())
    pieces = byte_pieces(texts, ("<|endoftext|>",), 320)
    task = {"language": language, "task": "transcribe"} if language else {}
    tokenizer = hf.WhisperTokenizer(*pieces, **task, pad_token="<|endoftext|>", extra_special_tokens=SPECIALS)
    return hf.WhisperProcessor(hf.WhisperFeatureExtractor(chunk_length=4, **more), tokenizer)


def whisper(tokenizer: Any, **more: Any) -> hf.WhisperForConditionalGeneration:
    start = tokenizer.convert_tokens_to_ids("<|startoftranscript|>")
    limits = {"max_source_positions": 200, "max_target_positions": 64, "begin_suppress_tokens": None}
    ids = ids_of(tokenizer) | {"decoder_start_token_id": start}
    return hf.WhisperForConditionalGeneration(hf.WhisperConfig(**ENCODER_DECODER | limits | ids | more))


def t5_tokenizer() -> hf.T5Tokenizer:
    texts = tuple(text for pair in translations() for text in pair)
    return hf.T5Tokenizer(unigram_pieces((*texts, PREFIX), ("<pad>", "</s>", "<unk>")), extra_ids=0)


def t5(tokenizer: Any, **more: Any) -> hf.T5ForConditionalGeneration:
    ids = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id}
    return hf.T5ForConditionalGeneration(hf.T5Config(**T5 | ids | {"decoder_start_token_id": 0} | more))


def bart_tokenizer() -> hf.BartTokenizer:
    texts = tuple(text for pair in articles() for text in pair)
    return hf.BartTokenizer(*byte_pieces(texts, ("<s>", "<pad>", "</s>", "<unk>", "<mask>")))


def bart(tokenizer: Any, **more: Any) -> hf.BartForConditionalGeneration:
    sizes = ENCODER_DECODER | {"max_position_embeddings": 160}
    return hf.BartForConditionalGeneration(hf.BartConfig(**sizes | ids_of(tokenizer) | more))


def wav2vec2_processor(**more: Any) -> hf.Wav2Vec2Processor:
    return hf.Wav2Vec2Processor(hf.Wav2Vec2FeatureExtractor(**{"return_attention_mask": True} | more), letters())


def wav2vec2(tokenizer: Any, kind: Any = hf.Wav2Vec2ForCTC, **more: Any) -> Any:
    sizes = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
    front = {"conv_dim": (32,) * 7, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4}
    norms = {"feat_extract_norm": "layer", "do_stable_layer_norm": True, "ctc_loss_reduction": "mean"}
    rates = {"mask_time_prob": 0.0, "layerdrop": 0.0}
    return kind(hf.Wav2Vec2Config(**sizes | front | norms | rates | ids_of(tokenizer) | more))


def translated(tokenizer: Any, prefix: str = PREFIX, rows: int = 64, **more: Any) -> Dataset:
    """Tokenized sentences and their translations, with the text columns removed."""
    table = Dataset.from_dict(dict(zip(("en", "fr"), map(list, zip(*translations(rows), strict=True)), strict=True)))
    options = {"max_length": 100, "truncation": True} | more

    def preprocess(batch: Any) -> Any:
        return tokenizer([prefix + text for text in batch["en"]], text_target=batch["fr"], **options)

    return table.map(preprocess, batched=True, remove_columns=["en", "fr"])


def heard(processor: Any, key: str = "input_values", rows: int = 48) -> list[dict[str, Any]]:
    """Features and labels, as `dataset.map(prepare_dataset)` leaves them."""
    return prepared(processor, list(spoken(rows)), key)


class Tagger(nn.Module):
    """An LSTM that reads frames and tells the class of a clip."""

    def __init__(self, width: int = 40, classes: int = 4, hidden: int = 32) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(frames)[0].mean(1))


def bands(rows: int = 96, width: int = 40, classes: int = 4, frames: int = 20) -> list[tuple[torch.Tensor, int]]:
    """Filter banks of four commands: each has bands of its own."""
    table = torch.randn(classes, width)
    return [(table[n % classes] + 0.5 * torch.randn(frames, width), n % classes) for n in range(rows)]


def tone(samples: int, pitch: float = 440.0, rate: int = RATE) -> np.ndarray:
    return (0.1 * np.sin(2 * np.pi * pitch * np.arange(samples) / rate)).astype(np.float32)

"""Tokenizers built from the training texts: Whisper's byte-level pieces and T5's Unigram pieces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from diagnose.common.errors import InputError
from trainer.collate.labels import normalize_text

if TYPE_CHECKING:
    from transformers import T5Tokenizer, WhisperTokenizer

Merges = list[tuple[str, str]]
Size = int | str  # a number of pieces, or "characters"

END = "<|endoftext|>"
START = "<|startoftranscript|>"
NO_TIMESTAMPS = "<|notimestamps|>"
LANGUAGES_OF_THE_FIRST_MODELS = 99  # Cantonese came with large-v3


def whisper_tokenizer(pieces: dict[str, int], merges: Merges, timestamps: bool = False) -> WhisperTokenizer:
    """Whisper's tokenizer over these pieces, then the special tokens in the order of the released models."""
    from transformers import WhisperTokenizer

    tokenizer = WhisperTokenizer(vocab=dict(pieces), merges=merges, pad_token=END)
    tokenizer.add_tokens(_whisper_specials(), special_tokens=True)
    if timestamps:
        tokenizer.add_tokens([f"<|{i * 0.02:.2f}|>" for i in range(1501)])
    tokenizer.set_prefix_tokens()
    return tokenizer


def build_whisper_tokenizer(texts: Iterable[str], size: Size) -> WhisperTokenizer:
    """Whisper's tokenizer with pieces of the training texts."""
    texts = _require_texts(texts)
    return whisper_tokenizer(*(_character_pieces(texts) if size == "characters" else _byte_pieces(texts, int(size))))


def build_t5_tokenizer(texts: Iterable[str], size: Size) -> T5Tokenizer:
    """T5's tokenizer with pieces of the training texts, without the sentinel tokens of its pretraining."""
    from transformers import T5Tokenizer

    from trainer.models.tokenizers.hybrid_and_mbart import pieces

    specials = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    return T5Tokenizer(vocab=specials + pieces(list(texts), size), extra_ids=0)


def _require_texts(texts: Iterable[str]) -> list[str]:
    found = [text for text in map(normalize_text, texts) if text]
    if not found:
        raise InputError(
            "model.random: a custom vocabulary needs training texts, but there are none; check the text columns of "
            "the training split, or set model.tokenizer"
        )
    return found


def _byte_pieces(texts: Sequence[str], size: int) -> tuple[dict[str, int], Merges]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False))
    model = json.loads(bpe.to_str())["model"]
    return model["vocab"], [tuple(pair) for pair in model["merges"]]


def _character_pieces(texts: Sequence[str]) -> tuple[dict[str, int], Merges]:
    """Bytes, and the merges that make one piece of every multi-byte character."""
    from tokenizers import pre_tokenizers

    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces = {symbol: index for index, symbol in enumerate(sorted(level.alphabet()))}
    merges: Merges = []
    for character in sorted(set("".join(texts)) - {" "}):
        symbols = level.pre_tokenize_str(character)[0][0]
        for end in range(2, len(symbols) + 1):
            if symbols[:end] not in pieces:
                pieces[symbols[:end]] = len(pieces)
                merges.append((symbols[: end - 1], symbols[end - 1]))
    return pieces, merges


def _whisper_specials() -> list[str]:
    from transformers.models.whisper.tokenization_whisper import LANGUAGES

    languages = [f"<|{code}|>" for code in list(LANGUAGES)[:LANGUAGES_OF_THE_FIRST_MODELS]]
    tasks = ["<|translate|>", "<|transcribe|>"]
    return [END, START, *languages, *tasks, "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", NO_TIMESTAMPS]

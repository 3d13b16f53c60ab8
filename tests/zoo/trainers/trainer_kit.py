"""What the set-ups with a transformers Trainer share: arguments, a tokenizer made in code, sentences and sounds."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast, TrainingArguments

FOLDERS: list[TemporaryDirectory[str]] = []
SUBJECTS = ["anna", "doctors", "sisters", "farmers", "teachers", "children", "paul", "nobody"]
VERBS = ["reads", "buys", "sees", "paints", "opens", "finds", "sells", "likes"]
OBJECTS = ["books", "fish", "houses", "letters", "doors", "flowers", "songs", "bread"]
PLACES = ["today", "outside", "home", "here", "now", "there", "often", "soon"]
WORDS = tuple(dict.fromkeys([*SUBJECTS, *VERBS, *OBJECTS, *PLACES, "what", "and", "?"]))


def folder() -> str:
    """A fresh folder, removed when the process ends."""
    FOLDERS.append(TemporaryDirectory(prefix="zoo-"))
    return FOLDERS[-1].name


def reloaded(model: Any) -> Any:
    """The model as read from a checkpoint, so that its name is a folder."""
    place = folder()
    model.save_pretrained(place)
    return type(model).from_pretrained(place)


def arguments(kind: Any = TrainingArguments, **more: Any) -> Any:
    """Arguments as a script would have them, for a small model on a CPU."""
    usual = {
        "per_device_train_batch_size": 8,
        "per_device_eval_batch_size": 8,
        "learning_rate": 2e-3,
        "num_train_epochs": 8,
        "eval_strategy": "epoch",
        "logging_steps": 10,
        "report_to": "none",
        "use_cpu": True,
        "disable_tqdm": True,
    }
    return kind(output_dir=folder(), **usual | more)


def draw(words: Any) -> Any:
    """One of the words, by torch's generator."""
    return words[int(torch.randint(len(words), ()))]


def sentence() -> str:
    """Three or more words."""
    return f"{draw(SUBJECTS)} {draw(VERBS)} {draw(OBJECTS)}{sometimes()}"


def sometimes() -> str:
    """A word of place or time, every other time: rows differ in length."""
    return f" {draw(PLACES)}" if torch.rand(()) < 0.5 else ""


def words_tokenizer(first: str = "[CLS]", last: str = "[SEP]", **more: Any) -> PreTrainedTokenizerFast:
    """One token for each word; a sentence stands between `first` and `last`, of which each may be empty."""
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {token: number for number, token in enumerate([*specials, *WORDS])}
    pieces = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    pieces.normalizer, pieces.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    single = [part for part in (first, "$A", last) if part]
    pair = [*single, "$B:1", *([f"{last}:1"] if last else [])]
    pieces.post_processor = processors.TemplateProcessing(single, pair, [(t, vocabulary[t]) for t in specials[2:4]])
    roles = {"pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
    if first:
        roles |= {"cls_token": "[CLS]"}
    if last:
        roles |= {"sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=pieces, model_max_length=64, **roles | more)


def bert_sizes(tokenizer: Any, **more: Any) -> dict[str, Any]:
    """The sizes of a small BERT; a narrow model needs larger initial weights than a wide one."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    limits = {
        "max_position_embeddings": 64,
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
        "initializer_range": 0.1,
    }
    return {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id, **sizes, **limits, **more}


def tone(pitch: float, samples: int) -> np.ndarray:
    """A tone with a little noise, at 16 kHz, as quiet as recorded speech."""
    time = np.arange(samples) / 16_000
    noise = torch.randn(samples).numpy() * 0.005
    return (0.1 * np.sin(2 * np.pi * pitch * time + float(torch.rand(())) * 6) + noise).astype(np.float32)


def spell(text: str, lowest: float = 200) -> np.ndarray:
    """60 ms of a tone for each letter; another voice has another lowest one."""
    return np.concatenate([tone(lowest + 90 * (ord(letter) - 96 if letter != " " else 30), 960) for letter in text])

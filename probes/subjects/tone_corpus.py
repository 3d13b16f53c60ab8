"""A small corpus that needs no file: sentences, and for each a sound that spells it, one tone for each letter."""

from functools import cache
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from tokenizers.decoders import ByteLevel
from torch.optim import AdamW
from torch.utils.data import DataLoader, Dataset
from transformers import PreTrainedTokenizerFast

RATE = 16_000
WHO = ("mẹ", "cô giáo", "anh Nam", "the doctor", "bạn tôi", "my sister")
WHAT = ("mua cá", "đọc sách", "drinks tea", "hát một bài", "opens the door", "viết thư cho bà")
SENTENCES = tuple(f"{who} {what}" for who in WHO for what in WHAT)
OTHERS = ("chị Lan", "ông nội", "her uncle", "các em nhỏ", "the driver", "thầy hiệu trưởng")
DO = ("bán hoa", "xem phim", "cooks rice", "chơi đàn", "closes a shop", "kể chuyện về làng")
HELD_OUT = tuple(f"{who} {what}" for who in OTHERS for what in DO)  # evaluation has sentences of its own


@cache
def speech(text: str) -> np.ndarray:
    """20 ms of a tone and its overtone for each byte, over a little noise: longer for longer texts, never silent."""
    time = np.arange(RATE // 50) / RATE
    tones = [
        np.sin(2 * np.pi * (200 + 11 * byte) * time) + 0.3 * np.sin(2 * np.pi * (400 + 22 * byte) * time)
        for byte in text.encode()
    ]
    noise = np.random.default_rng(len(text)).normal(0, 0.01, len(time) * len(tones))
    return (0.2 * np.concatenate(tones) + noise).astype(np.float32)


@cache
def tokenizer(begin: tuple[str, ...] = (), end: str = "</s>", padding: str = "<pad>") -> PreTrainedTokenizerFast:
    """Byte-level pieces learned from the sentences. Labels begin with `begin` and end with `end`, once."""
    specials = list(dict.fromkeys([padding, end, "<unk>", *begin]))
    pieces = Tokenizer(models.BPE(unk_token="<unk>"))
    pieces.pre_tokenizer, pieces.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    pieces.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(vocab_size=320, special_tokens=specials, initial_alphabet=alphabet, show_progress=False),
    )
    around = [(token, pieces.token_to_id(token)) for token in dict.fromkeys((*begin, end))]
    pieces.post_processor = processors.TemplateProcessing(" ".join([*begin, "$A", end]), None, around)
    return PreTrainedTokenizerFast(tokenizer_object=pieces, pad_token=padding, eos_token=end, unk_token="<unk>")


def special_ids(tokenizer: Any) -> dict[str, Any]:
    """As a configuration names them; the end token begins sequences, too."""
    end = tokenizer.eos_token_id
    return {"pad_token_id": tokenizer.pad_token_id, "bos_token_id": end, "eos_token_id": end}


def masked_labels(tokenizer: Any, items: list[dict[str, Any]]) -> torch.Tensor:
    """Labels as they should be: -100 exactly on padding, by the attention mask and not by id."""
    encoded = tokenizer([item["transcript"] for item in items], padding=True, return_tensors="pt")
    return encoded["input_ids"].masked_fill(encoded["attention_mask"] == 0, -100)


class Sentences(Dataset[dict[str, Any]]):
    """Items as the trainer has them: the audio, its transcript, its duration."""

    def __init__(self, texts: tuple[str, ...] = SENTENCES) -> None:
        self.texts = texts

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> dict[str, Any]:
        audio = speech(self.texts[index])
        return {"audio": audio, "sample_rate": RATE, "transcript": self.texts[index], "duration": len(audio) / RATE}


def facts_of(
    model: Any, collate: Any, tokenizer: Any = None, dataset: Any = None, held_out: Any = None, **more: Any
) -> dict[str, Any]:
    """The facts that every subject has in common."""
    dataset, held_out = dataset or Sentences(), held_out or Sentences(HELD_OUT)
    return {
        "model": model,
        "train_dataset": dataset,
        "collate": collate,
        "train_batches": DataLoader(dataset, batch_size=4, shuffle=True, collate_fn=collate),
        "eval_batches": DataLoader(held_out, batch_size=4, collate_fn=collate),
        "optimizer": AdamW(model.parameters(), lr=1e-3),
        "tokenizer": tokenizer,
        "total_steps": 100,
        "precision": "fp32",
        "seed": 0,
        **more,
    }

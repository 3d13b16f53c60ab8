"""Section 3: what collators do to labels, masks and padding."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf
from torch.utils.data import DataLoader

from tests.zoo.failures._models import (
    bart,
    bart_tokenizer,
    heard,
    t5,
    t5_tokenizer,
    translated,
    whisper,
    whisper_processor,
)
from tests.zoo.failures.cases import failure
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.hf_models._sounds import DataCollatorSpeechSeq2SeqWithPadding
from tests.zoo.hf_models._texts import articles, translations
from tests.zoo.registry import Facts


def whisper_loop(processor: Any, collate: Any, model: Any) -> Facts:
    rows = heard(processor, "input_features")
    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "tokenizer": processor.tokenizer}


@failure("coll_double_bos", "LAB008", "GEN003", short=True)
def start_token_compared_with_bos(broken: bool) -> Facts:
    """The collator compares the first label with bos_token_id, so the start token stays in the labels."""
    processor = whisper_processor()
    model = whisper(processor.tokenizer)
    first = processor.tokenizer.bos_token_id if broken else model.config.decoder_start_token_id
    return whisper_loop(processor, DataCollatorSpeechSeq2SeqWithPadding(processor, first, mask=False), model)


@failure("coll_double_bos", "LAB008", "GEN003")
def start_token_kept_without_a_tokenizer(broken: bool) -> Facts:
    """The same in a Seq2SeqTrainer."""
    processor = whisper_processor()
    model = whisper(processor.tokenizer)
    first = processor.tokenizer.bos_token_id if broken else model.config.decoder_start_token_id
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, first, mask=False)
    rows = heard(processor, "input_features")
    return {"trainer": seq2seq_trainer(model, None, rows[8:], rows[:8], collate, learning_rate=1e-3)}


@failure("coll_eos_masked", "LAB006", "LAB007", short=True)
def padding_masked_by_id(broken: bool) -> Facts:
    """Whisper pads with its end token; masking by id removes the end."""
    processor = whisper_processor()
    model = whisper(processor.tokenizer)
    proper = DataCollatorSpeechSeq2SeqWithPadding(processor, model.config.decoder_start_token_id, mask=False)

    def collate(rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        batch = proper(rows)
        if broken:
            batch["labels"] = batch["labels"].masked_fill(batch["labels"] == processor.tokenizer.pad_token_id, -100)
        return batch

    return whisper_loop(processor, collate, model)


@failure("coll_eos_masked", "LAB006", "LAB007")
def gpt2_pads_with_its_end(broken: bool) -> Facts:
    """`pad_token = eos_token` and the collator for language modeling, which masks each of them."""
    from tests.zoo.hf_models._texts import byte_pieces

    texts = [f"{a} => {b}" for a, b in translations()]
    tokenizer = hf.GPT2Tokenizer(*byte_pieces(tuple(texts), ("<|endoftext|>", "<|pad|>")))
    tokenizer.pad_token = tokenizer.eos_token if broken else "<|pad|>"
    sizes = {"n_embd": 48, "n_layer": 2, "n_head": 4, "n_positions": 128, "vocab_size": len(tokenizer)}
    model = hf.GPT2LMHeadModel(hf.GPT2Config(**sizes, bos_token_id=0, eos_token_id=0, pad_token_id=0 if broken else 1))
    rows = [tokenizer(text + tokenizer.eos_token) for text in texts]
    collate = hf.DataCollatorForLanguageModeling(tokenizer, mlm=False)
    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "tokenizer": tokenizer}


@failure("coll_pad_not_masked", "LAB002")
def padding_of_t5_is_scored(broken: bool) -> Facts:
    """The tokenizer pads labels with 0, and nobody replaces it."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)

    def collate(pairs: list[tuple[str, str]]) -> dict[str, torch.Tensor]:
        batch = tokenizer([a for a, _ in pairs], padding=True, return_tensors="pt")
        labels = tokenizer([b for _, b in pairs], padding=True, return_tensors="pt")
        ids = labels.input_ids if broken else labels.input_ids.masked_fill(labels.attention_mask == 0, -100)
        return {**batch, "labels": ids}

    batches = DataLoader(translations(), batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": torch.optim.AdamW(model.parameters(), lr=2e-3)}


@failure("coll_pad_not_masked", "LAB002")
def labels_padded_to_max_length(broken: bool) -> Facts:
    """A Trainer over rows that were tokenized with padding="max_length"."""
    tokenizer = bart_tokenizer()
    rows = []
    for text, title in articles():
        row = dict(tokenizer(text, max_length=96, truncation=True, padding="max_length"))
        target = tokenizer(text_target=title, max_length=32, truncation=True, padding="max_length")
        kept = [i if seen or broken else -100 for i, seen in zip(target.input_ids, target.attention_mask, strict=True)]
        rows.append(row | {"labels": kept})
    model = bart(tokenizer)
    return {"trainer": seq2seq_trainer(model, tokenizer, rows, collate=hf.default_data_collator, learning_rate=1e-3)}


@failure("coll_eos_on_truncated", "LAB016")
def targets_cut_at_twelve_tokens(broken: bool) -> Facts:
    """max_target_length is too small, and the tokenizer ends the cut targets with an end token."""
    tokenizer = t5_tokenizer()
    limits = {"max_length": 12} if broken else {}
    return {"trainer": seq2seq_trainer(t5(tokenizer), tokenizer, translated(tokenizer, **limits), learning_rate=2e-3)}

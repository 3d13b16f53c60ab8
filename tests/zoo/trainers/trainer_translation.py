"""The shape of run_translation: T5 with a prefix, and Marian loaded from a checkpoint."""

from __future__ import annotations

from typing import Any

import numpy as np
import sacrebleu
from datasets import Dataset
from transformers import (
    DataCollatorForSeq2Seq,
    MarianConfig,
    MarianMTModel,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
)

from tests.zoo.registry import Facts, setup
from tests.zoo.trainers.trainer_kit import (
    OBJECTS,
    PLACES,
    SUBJECTS,
    VERBS,
    arguments,
    reloaded,
    sentence,
    words_tokenizer,
)


@setup(short=True)
def translation_trainer() -> Facts:
    """T5: words of one list are written as words of another."""
    tokenizer = words_tokenizer(first="", eos_token="[SEP]")
    sizes = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2}
    ids = {"pad_token_id": 0, "decoder_start_token_id": 0, "eos_token_id": tokenizer.eos_token_id}
    return _translation(tokenizer, T5ForConditionalGeneration(T5Config(vocab_size=len(tokenizer), **sizes, **ids)))


@setup
def marian_trainer() -> Facts:
    """Marian, whose positions are sinusoids that nobody trains."""
    tokenizer = words_tokenizer(first="", eos_token="[SEP]")
    layers = {f"{part}_{what}": 2 for part in ("encoder", "decoder") for what in ("layers", "attention_heads")}
    sizes = {"d_model": 32, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 64}
    ids = {"pad_token_id": 0, "decoder_start_token_id": 0, "eos_token_id": tokenizer.eos_token_id}
    config = MarianConfig(vocab_size=len(tokenizer), **layers, **sizes, **ids, forced_eos_token_id=None)
    return _translation(tokenizer, reloaded(MarianMTModel(config)))


def _foreign(text: str) -> str:
    """The sentence in another language of the same words."""
    lists = (SUBJECTS, VERBS, OBJECTS, PLACES)
    after = {word: words[(number + 1) % len(words)] for words in lists for number, word in enumerate(words)}
    return " ".join(after[word] for word in text.split())


def _translation(tokenizer: Any, model: Any) -> Facts:
    texts = [sentence() for _ in range(112)]
    raw = Dataset.from_dict({"translation": [{"en": text, "de": _foreign(text)} for text in texts]})

    def preprocess(rows: Any) -> Any:
        sources, targets = [row["en"] for row in rows["translation"]], [row["de"] for row in rows["translation"]]
        encoded = tokenizer(sources, max_length=32, truncation=True)
        encoded["labels"] = tokenizer(text_target=targets, max_length=32, truncation=True)["input_ids"]
        return encoded

    def compute_metrics(eval_preds: Any) -> dict[str, float]:
        preds, labels = eval_preds
        preds = preds[0] if isinstance(preds, tuple) else preds
        preds = np.where(preds != -100, preds, tokenizer.pad_token_id)
        decoded_preds = tokenizer.batch_decode(preds, skip_special_tokens=True)
        labels = np.where(labels != -100, labels, tokenizer.pad_token_id)
        decoded_labels = tokenizer.batch_decode(labels, skip_special_tokens=True)
        result = sacrebleu.corpus_bleu([p.strip() for p in decoded_preds], [[t.strip() for t in decoded_labels]])
        lengths = [np.count_nonzero(pred != tokenizer.pad_token_id) for pred in preds]
        return {"bleu": round(result.score, 4), "gen_len": float(np.mean(lengths))}

    parts = raw.train_test_split(test_size=16, seed=0)
    tokenized = parts.map(preprocess, batched=True, remove_columns=["translation"])
    trainer = Seq2SeqTrainer(
        model=model,
        args=arguments(Seq2SeqTrainingArguments, predict_with_generate=True, generation_max_length=16),
        train_dataset=tokenized["train"],
        eval_dataset=tokenized["test"],
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model, label_pad_token_id=-100, pad_to_multiple_of=None),
        compute_metrics=compute_metrics,
    )
    return {"trainer": trainer}

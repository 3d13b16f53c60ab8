"""The shape of the official text scripts of transformers: run_glue, run_mlm, run_clm, run_ner, run_swag."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForMultipleChoice,
    BertForSequenceClassification,
    BertForTokenClassification,
    DataCollatorForLanguageModeling,
    DataCollatorForMultipleChoice,
    DataCollatorForTokenClassification,
    DataCollatorWithPadding,
    GPT2Config,
    GPT2LMHeadModel,
    Trainer,
    default_data_collator,
)

from tests.zoo.registry import Facts, setup
from tests.zoo.trainers.trainer_kit import (
    OBJECTS,
    SUBJECTS,
    VERBS,
    arguments,
    bert_sizes,
    draw,
    sentence,
    words_tokenizer,
)

BLOCK = 16


@setup
def text_pairs_trainer() -> Facts:
    """run_glue: two sentences whose verbs are of one class or of the other; the text columns stay in the dataset."""
    tokenizer = words_tokenizer()
    rows = [_verb_pair() for _ in range(96)]
    names = {"sentence1": [r[0] for r in rows], "sentence2": [r[1] for r in rows], "label": [r[2] for r in rows]}
    tokenized = Dataset.from_dict(names).map(
        lambda rows: tokenizer(rows["sentence1"], rows["sentence2"], max_length=64, truncation=True), batched=True
    )

    def compute_metrics(p: Any) -> dict[str, float]:
        predictions = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
        return {"accuracy": float((np.argmax(predictions, axis=1) == p.label_ids).astype(np.float32).mean())}

    model = BertForSequenceClassification(BertConfig(**bert_sizes(tokenizer), num_labels=2))
    collator = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)
    return _trainer(model, tokenized, tokenizer, collator, compute_metrics, 4e-3)


def _verb_pair() -> tuple[str, str, int]:
    label = int(torch.randint(2, ()))
    verbs = VERBS[:4] if label else VERBS[4:]
    return f"{draw(SUBJECTS)} {draw(verbs)} {draw(OBJECTS)}", f"{draw(SUBJECTS)} {draw(verbs)} {draw(OBJECTS)}", label


@setup
def masked_words_trainer() -> Facts:
    """run_mlm: blocks of words, of which the collator hides some at random."""
    tokenizer = words_tokenizer()
    blocks = _blocks(tokenizer, 160, labels=False)

    def compute_metrics(eval_preds: Any) -> dict[str, float]:
        preds, labels = eval_preds
        mask = labels.reshape(-1) != -100
        return {"accuracy": float((labels.reshape(-1)[mask] == preds.reshape(-1)[mask]).mean())}

    model = BertForMaskedLM(BertConfig(**bert_sizes(tokenizer)))
    collator = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    return _trainer(model, blocks, tokenizer, collator, compute_metrics, 5e-3, preprocess_logits_for_metrics=_classes)


@setup(short=True)
def next_words_trainer() -> Facts:
    """run_clm: blocks of words whose labels are their ids; the metric shifts them."""
    tokenizer = words_tokenizer(first="", last="[SEP]", eos_token="[SEP]")
    blocks = _blocks(tokenizer, 120, labels=True)

    def compute_metrics(eval_preds: Any) -> dict[str, float]:
        preds, labels = eval_preds
        labels, preds = labels[:, 1:].reshape(-1), preds[:, :-1].reshape(-1)
        return {"accuracy": float((labels == preds).mean())}

    end = {"bos_token_id": tokenizer.eos_token_id, "eos_token_id": tokenizer.eos_token_id}
    model = GPT2LMHeadModel(
        GPT2Config(vocab_size=len(tokenizer), n_positions=64, n_embd=32, n_layer=2, n_head=2, **end)
    )
    more = {"preprocess_logits_for_metrics": _classes}
    return _trainer(model, blocks, tokenizer, default_data_collator, compute_metrics, **more)


def _blocks(tokenizer: Any, count: int, labels: bool) -> Dataset:
    """As group_texts of the scripts makes them: a few sentences, repeated, in one line cut into blocks."""
    few = [sentence() for _ in range(6)]
    raw = Dataset.from_dict({"text": [draw(few) for _ in range(count)]})
    tokenized = raw.map(lambda rows: tokenizer(rows["text"]), batched=True, remove_columns=["text"])

    def group_texts(examples: Any) -> dict[str, Any]:
        joined = {key: list(chain(*examples[key])) for key in examples}
        total = len(joined["input_ids"]) // BLOCK * BLOCK
        result = {key: [ids[i : i + BLOCK] for i in range(0, total, BLOCK)] for key, ids in joined.items()}
        return {**result, "labels": list(result["input_ids"])} if labels else result

    return tokenized.map(group_texts, batched=True)


def _classes(logits: Any, labels: Any) -> Any:
    return (logits[0] if isinstance(logits, tuple) else logits).argmax(dim=-1)


@setup(short=True)
def named_words_trainer() -> Facts:
    """run_ner: a tag for the first token of each word."""
    tokenizer = words_tokenizer()
    words = [sentence().split() for _ in range(96)]
    tags = [[1 if word in SUBJECTS else 2 if word in OBJECTS else 0 for word in row] for row in words]

    def tokenize_and_align(rows: Any) -> Any:
        encoded = tokenizer(rows["tokens"], truncation=True, is_split_into_words=True)
        encoded["labels"] = [_aligned(encoded.word_ids(n), row) for n, row in enumerate(rows["ner_tags"])]
        return encoded

    raw = Dataset.from_dict({"tokens": words, "ner_tags": tags})
    tokenized = raw.map(tokenize_and_align, batched=True, remove_columns=raw.column_names)

    def compute_metrics(p: Any) -> dict[str, float]:
        predictions, labels = np.argmax(p.predictions, axis=2), p.label_ids
        names = ["O", "PER", "OBJ"]
        pairs = [
            (names[q], names[t])
            for pred, label in zip(predictions, labels, strict=True)
            for q, t in zip(pred, label, strict=True)
            if t != -100
        ]
        return {"accuracy": sum(q == t for q, t in pairs) / len(pairs)}

    model = BertForTokenClassification(BertConfig(**bert_sizes(tokenizer), num_labels=3))
    return _trainer(model, tokenized, tokenizer, DataCollatorForTokenClassification(tokenizer), compute_metrics)


def _aligned(word_ids: list[int | None], tags: list[int]) -> list[int]:
    before = [None, *word_ids]
    return [-100 if w is None or w == b else tags[w] for w, b in zip(word_ids, before[:-1], strict=True)]


@setup
def multiple_choice_trainer() -> Facts:
    """run_swag: which of four endings has a verb of the right class."""
    tokenizer = words_tokenizer()
    labels = [int(torch.randint(4, ())) for _ in range(96)]
    stems = [draw(SUBJECTS) for _ in labels]
    endings = [[_ending(number == label) for number in range(4)] for label in labels]
    raw = Dataset.from_dict({"sent1": stems, "endings": endings, "label": labels})

    def preprocess(rows: Any) -> dict[str, Any]:
        first = [stem for stem in rows["sent1"] for _ in range(4)]
        encoded = tokenizer(first, list(chain(*rows["endings"])), truncation=True, max_length=64)
        return {key: [value[i : i + 4] for i in range(0, len(value), 4)] for key, value in encoded.items()}

    def compute_metrics(eval_predictions: Any) -> dict[str, float]:
        predictions, label_ids = eval_predictions
        return {"accuracy": float((np.argmax(predictions, axis=1) == label_ids).astype(np.float32).mean())}

    tokenized = raw.map(preprocess, batched=True)
    model = BertForMultipleChoice(BertConfig(**bert_sizes(tokenizer)))
    return _trainer(model, tokenized, tokenizer, DataCollatorForMultipleChoice(tokenizer), compute_metrics)


def _ending(right: bool) -> str:
    return f"{draw(VERBS[:4] if right else VERBS[4:])} {draw(OBJECTS)}"


def _trainer(
    model: Any, rows: Dataset, tokenizer: Any, collator: Any, metric: Any, rate: float = 2e-3, **more: Any
) -> Facts:
    parts = rows.train_test_split(test_size=16, seed=0)
    trainer = Trainer(
        model=model,
        args=arguments(learning_rate=rate),
        train_dataset=parts["train"],
        eval_dataset=parts["test"],
        processing_class=tokenizer,
        data_collator=collator,
        compute_metrics=metric,
        **more,
    )
    return {"trainer": trainer}

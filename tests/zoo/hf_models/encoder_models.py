"""Encoders for text: masked words, names, answers, choices, topics, sentiment, similarity."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
import transformers as hf
from datasets import Dataset
from torch.optim import AdamW
from torch.utils.data import DataLoader

from tests.zoo.hf_models._texts import (
    DOES,
    FILLERS,
    WHAT,
    WHEN,
    WHERE,
    WHO,
    articles,
    byte_pieces,
    sentences,
    word_pieces,
)
from tests.zoo.registry import Facts, dataset_facts, setup

SIZES = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
PEOPLE = ("Maria Lopez", "John", "Ahmed", "Linh Tran", "Olga", "Peter Schmidt", "Aiko", "Fatima")
CITIES = ("Paris", "New York", "Hanoi", "Lagos", "Buenos Aires", "Oslo", "Delhi", "Rome")
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
TOPICS = {"sport": "the team won the match", "money": "prices rose at the bank", "food": "the cook made a fine soup",
          "weather": "rain fell all night"}  # fmt: skip


def bert_tokenizer(texts: list[str]) -> hf.BertTokenizer:
    """In lower case, of up to 400 pieces."""
    return hf.BertTokenizer(word_pieces(tuple(texts)))


def config_for(tokenizer: Any, **more: Any) -> hf.BertConfig:
    """A BERT of two layers."""
    return hf.BertConfig(**SIZES, vocab_size=len(tokenizer), max_position_embeddings=128, **more)


def accuracy(predictions: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """The share of rows that are right."""
    return {"accuracy": float((predictions.argmax(-1) == labels).mean())}


@setup
def bert_masked_words() -> Facts:
    """BERT guesses 15% of the words, which are drawn anew in every batch."""
    texts = [*sentences(), *(text for text, _ in articles())]
    tokenizer = bert_tokenizer(texts)
    model = hf.BertForMaskedLM(config_for(tokenizer))
    rows = [tokenizer(text, return_special_tokens_mask=True) for text in texts]
    collate = hf.DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    batches = DataLoader(rows, batch_size=16, shuffle=True, collate_fn=collate)
    optimizer = AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "tokenizer": tokenizer, "train_batches": batches, "optimizer": optimizer}


@setup
def bert_names() -> Facts:
    """People and places in sentences; only the first piece of a word has a tag."""
    draw = random.Random(3)
    rows = []
    for number in range(64):
        words, tags = [], []
        person, city = draw.choice(PEOPLE).split(), draw.choice(CITIES).split()
        middle = ("lives in", "flew from the coast to", "never saw")[number % 3].split()
        end = ("", "with a friend", "after the long war ended")[number // 3 % 3].split()
        for part, kind in ((person, "PER"), (middle, ""), (city, "LOC"), (end, "")):
            words += part
            tags += [TAGS.index(f"{'BI'[n > 0]}-{kind}") if kind else 0 for n in range(len(part))]
        rows.append({"tokens": words, "ner_tags": tags})
    tokenizer = bert_tokenizer([" ".join(row["tokens"]) for row in rows])

    def align(row: dict[str, Any]) -> Any:
        encoded = tokenizer(row["tokens"], is_split_into_words=True, truncation=True)
        words = encoded.word_ids()
        first = [word is not None and word != before for word, before in zip(words, [None, *words], strict=False)]
        encoded["labels"] = [row["ner_tags"][w] if f else -100 for w, f in zip(words, first, strict=True)]
        return encoded

    dataset = Dataset.from_list(rows).map(align, remove_columns=["tokens", "ner_tags"])
    names = {"id2label": dict(enumerate(TAGS)), "label2id": {tag: n for n, tag in enumerate(TAGS)}}
    model = hf.BertForTokenClassification(config_for(tokenizer, **names))
    collate = hf.DataCollatorForTokenClassification(tokenizer)

    def compute_metrics(predictions: np.ndarray, labels: np.ndarray) -> dict[str, float]:
        scored = labels != -100
        return {"accuracy": float((predictions.argmax(-1) == labels)[scored].mean())}

    return dataset_facts(model, dataset, collate, 8, 1e-3) | {
        "tokenizer": tokenizer,
        "compute_metrics": compute_metrics,
    }


@setup
def bert_answers() -> Facts:
    """Extractive question answering: where in the context the answer begins and ends."""
    draw = random.Random(4)
    rows = []
    for _ in range(72):
        who, what, where = draw.choice(list(WHO)), draw.choice(list(WHAT)), draw.choice(list(WHERE))
        context = f"{draw.choice(FILLERS)} {who} {draw.choice(list(DOES))} {what} {where} {draw.choice(list(WHEN))}."
        question, answer = draw.choice([("who was it?", who), ("what was it?", what), ("where was it?", where)])
        rows.append((question, context, answer))
    tokenizer = bert_tokenizer([f"{question} {context}" for question, context, _ in rows])
    items = []
    for question, context, answer in rows:
        encoded = tokenizer(question, context, max_length=48, truncation="only_second", padding="max_length")
        begin = context.index(answer)
        encoded["start_positions"] = encoded.char_to_token(begin, sequence_index=1)
        encoded["end_positions"] = encoded.char_to_token(begin + len(answer) - 1, sequence_index=1)
        items.append(dict(encoded))
    model = hf.BertForQuestionAnswering(config_for(tokenizer))
    batches = DataLoader(items, batch_size=12, shuffle=True, collate_fn=hf.default_data_collator)
    optimizer = AdamW(model.parameters(), lr=1e-3)
    scheduler = hf.get_linear_schedule_with_warmup(optimizer, 10, 300)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "scheduler": scheduler}


@setup
def bert_choices() -> Facts:
    """Multiple choice: which of four endings belongs to the sentence."""
    draw = random.Random(5)
    rows = []
    for number in range(64):
        topic = list(TOPICS)[number % 4]
        endings = draw.sample(list(TOPICS.values()), 4)
        start = f"{draw.choice(list(WHO))} read about {topic}: " + draw.choice(["", "it said that", "people say that"])
        rows.append((start, endings, endings.index(TOPICS[topic])))
    tokenizer = bert_tokenizer([f"{start} {ending}" for start, endings, _ in rows for ending in endings])
    items = Dataset.from_list([{**tokenizer([start] * 4, endings), "label": label} for start, endings, label in rows])
    model = hf.BertForMultipleChoice(config_for(tokenizer, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))
    collate = hf.DataCollatorForMultipleChoice(tokenizer)
    return dataset_facts(model, items, collate, 16, 2e-3) | {"compute_metrics": accuracy}


@setup
def bert_topics() -> Facts:
    """Several topics may be true of one text: labels of zeros and ones."""
    draw = random.Random(6)
    rows = []
    for _ in range(64):
        topics = draw.sample(list(TOPICS), draw.randint(1, 3))
        text = " and ".join([*(TOPICS[topic] for topic in topics), draw.choice(FILLERS).lower()])
        rows.append((text, [float(topic in topics) for topic in TOPICS]))
    tokenizer = bert_tokenizer([text for text, _ in rows])
    items = [{**tokenizer(text), "labels": labels} for text, labels in rows]
    kind = {"num_labels": len(TOPICS), "problem_type": "multi_label_classification"}
    model = hf.BertForSequenceClassification(config_for(tokenizer, **kind))
    batches = DataLoader(items, batch_size=8, shuffle=True, collate_fn=hf.DataCollatorWithPadding(tokenizer))
    optimizer = AdamW(model.parameters(), lr=2e-3)

    def compute_metrics(predictions: np.ndarray, labels: np.ndarray) -> dict[str, float]:
        return {"accuracy": float(((predictions > 0) == (labels > 0.5)).mean())}

    facts = {"model": model, "train_batches": batches, "optimizer": optimizer, "tokenizer": tokenizer}
    return {**facts, "compute_metrics": compute_metrics}


def reviews() -> list[tuple[str, int]]:
    """Short opinions and whether they are good."""
    good, bad = ("wonderful", "a joy", "great fun", "really good"), ("awful", "a bore", "bad", "a waste of two hours")
    ends = ("", "from start to end", "and my whole family agrees", "as everybody said")
    things = ("this film", "the new book by her", "dinner here", "that long concert last week")
    rows = [(f"{thing} was {word}", word in good) for thing in things for word in good + bad]
    return [(f"{text} {end}".strip(), int(label)) for text, label in rows for end in ends[:2]] + [
        (f"{text} {end}", int(label)) for text, label in rows[::2] for end in ends[2:]
    ]


@setup(short=True)
def distilbert_reviews() -> Facts:
    """Good or bad, as in everybody's first notebook."""
    rows = reviews()
    tokenizer = bert_tokenizer([text for text, _ in rows])
    table = Dataset.from_dict({"text": [text for text, _ in rows], "label": [label for _, label in rows]})
    dataset = table.map(lambda row: tokenizer(row["text"], return_token_type_ids=False), remove_columns=["text"])
    sizes = {"dim": 48, "n_layers": 2, "n_heads": 4, "hidden_dim": 96, "max_position_embeddings": 64}
    model = hf.DistilBertForSequenceClassification(hf.DistilBertConfig(**sizes, vocab_size=len(tokenizer)))
    collate = hf.DataCollatorWithPadding(tokenizer)
    return dataset_facts(model, dataset, collate, 16, 2e-3) | {"tokenizer": tokenizer, "compute_metrics": accuracy}


@setup
def roberta_similarity() -> Facts:
    """How alike two sentences are, from 0 to 5: a regression, as on STS-B."""
    draw = random.Random(9)
    parts = [list(part) for part in (WHO, DOES, WHAT, WHERE, WHEN)]
    pairs = []
    for number in range(72):
        first = [draw.choice(part) for part in parts]
        same = set(draw.sample(range(5), number % 6))
        second = [
            word if n in same else draw.choice([w for w in parts[n] if w != word]) for n, word in enumerate(first)
        ]
        pairs.append((" ".join(first), " ".join(second), float(len(same))))
    specials = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    tokenizer = hf.RobertaTokenizer(*byte_pieces(tuple(f"{a} {b}" for a, b, _ in pairs), specials))
    config = hf.RobertaConfig(**SIZES, vocab_size=len(tokenizer), max_position_embeddings=130, type_vocab_size=1,
                              num_labels=1, problem_type="regression")  # fmt: skip
    model = hf.RobertaForSequenceClassification(config)

    def collate(rows: list[tuple[str, str, float]]) -> dict[str, torch.Tensor]:
        batch = tokenizer([a for a, _, _ in rows], [b for _, b, _ in rows], padding=True, return_tensors="pt")
        batch["labels"] = torch.tensor([score for _, _, score in rows])
        return batch

    batches = DataLoader(pairs, batch_size=12, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": AdamW(model.parameters(), lr=1e-3)}

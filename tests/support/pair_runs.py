"""Runs whose targets belong to their inputs, of five tasks, and the same with inputs shuffled and targets not."""

from __future__ import annotations

import random
from typing import Any

import torch
import transformers as hf
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss
from torch.optim import AdamW
from torch.utils.data import DataLoader, TensorDataset

from probes.subjects import tone_corpus
from probes.subjects.hybrid import hybrid
from tests.zoo.hf_models import encoder_models as encoders
from tests.zoo.hf_models._texts import articles, unigram_pieces
from tests.zoo.registry import Facts, dataset_facts

ROWS, WIDTH = 1024, 16


def mlp(outputs: int, width: int = WIDTH) -> nn.Module:
    return nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, outputs))


def tabular(model: nn.Module, x: torch.Tensor, y: torch.Tensor, loss: Any) -> Facts:
    """What a loop of one's own has: a model, a loader, a loss, an optimizer."""
    batches = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    optimizer = AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "compute_loss": loss}


def order(rows: int, seed: int, shuffled: bool) -> list[int]:
    """In which order the inputs stand beside the targets."""
    return random.Random(seed).sample(range(rows), rows) if shuffled else list(range(rows))


def classifier(seed: int, shuffled: bool) -> Facts:
    """Clouds, a linear rule under noise, an exclusive or, and a sphere in turn."""
    x, noise = torch.randn(ROWS, WIDTH), torch.randn(ROWS, 4)
    if seed % 4 == 0:
        y = torch.randint(0, 5, (ROWS,))
        x = x + torch.randn(5, WIDTH)[y]
    elif seed % 4 == 1:
        y = (x @ torch.randn(WIDTH, 4) + 2 * noise).argmax(1)
    elif seed % 4 == 2:
        y = ((x[:, 0] > 0) ^ (x[:, 1] > 0)).long()
    else:
        y = (x[:, :6].norm(dim=1) > 2.3).long()
    return _classified(x[order(ROWS, seed, shuffled)], y)


def regression(seed: int, shuffled: bool) -> Facts:
    """A product and a sine under noise; about 60 % of the variance can be explained."""
    x = torch.randn(ROWS, WIDTH)
    y = (x[:, :1] * x[:, 1:2] + torch.sin(2 * x[:, 2:3]) + x[:, 3:4]) + torch.randn(ROWS, 1)
    return tabular(mlp(1), x[order(ROWS, seed, shuffled)], y, lambda model, batch: mse_loss(model(batch[0]), batch[1]))


def tagger(seed: int, shuffled: bool) -> Facts:
    """People and places in sentences; the words of a sentence and the tags of another, cut to its length."""
    draw, rows = random.Random(seed), []
    for _ in range(400):
        words, tags = [], []
        parts = [(draw.choice(encoders.PEOPLE), "PER"), (draw.choice(encoders.FILLERS).lower(), ""),
                 (draw.choice(encoders.CITIES), "LOC"), (draw.choice(encoders.FILLERS).lower(), "")]  # fmt: skip
        for text, kind in draw.sample(parts, draw.randint(2, 4)):
            split = text.split()
            words += split
            tags += [encoders.TAGS.index(f"{'BI'[n > 0]}-{kind}") if kind else 0 for n in range(len(split))]
        rows.append((words, tags))
    words_of = [rows[number][0] for number in order(len(rows), seed, shuffled)]
    tokenizer = encoders.bert_tokenizer([" ".join(words) for words in words_of])
    items = [_tagged(tokenizer, words, tags) for words, (_, tags) in zip(words_of, rows, strict=True)]
    model = hf.BertForTokenClassification(encoders.config_for(tokenizer, num_labels=len(encoders.TAGS)))
    collate = hf.DataCollatorForTokenClassification(tokenizer)
    return dataset_facts(model, items, collate, 16, 1e-3) | {"tokenizer": tokenizer}


def _tagged(tokenizer: Any, words: list[str], tags: list[int]) -> dict[str, Any]:
    encoded = tokenizer(words, is_split_into_words=True)
    held = (tags + [0] * len(words))[: len(words)]
    labels = [-100 if word is None else held[word] for word in encoded.word_ids()]
    return {**encoded, "labels": labels}


def summaries(seed: int, shuffled: bool) -> Facts:
    """An mT5 of two layers: in turn reports of few words with their headlines, and of many with six of their words."""
    pairs = random.Random(seed).sample(articles(600), 400) if seed % 2 else _reports(seed, 400)
    every = tuple(text for pair in pairs for text in pair)
    tokenizer = hf.T5Tokenizer(unigram_pieces(every, ("<pad>", "</s>", "<unk>"), 1000), extra_ids=0)
    texts = [pairs[number][0] for number in order(len(pairs), seed, shuffled)]
    items = [tokenizer(text, text_target=target) for text, (_, target) in zip(texts, pairs, strict=True)]
    config = hf.MT5Config(
        d_model=48, d_kv=12, d_ff=96, num_layers=2, num_heads=4, vocab_size=len(tokenizer),
        pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    model = hf.MT5ForConditionalGeneration(config)
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    return dataset_facts(model, items, collate, 16, 1e-3) | {"tokenizer": tokenizer}


def _reports(seed: int, rows: int) -> list[tuple[str, str]]:
    """Made-up words by Zipf's law; a summary has six of its report, the rarer ones more likely."""
    draw = random.Random(seed)
    words = list(
        {"".join(draw.choices("bdfgklmnprstv", k=1)[0] + draw.choice("aeiou") for _ in range(3)) for _ in range(1500)}
    )
    words.sort()
    weights, pairs = [1 / (n + 3) for n in range(len(words))], []
    for _ in range(rows):
        report = draw.choices(words, weights, k=draw.randint(20, 50))
        rare = sorted(set(report), key=words.index)[-12:]
        pairs.append((" ".join(report), " ".join([*words[:2], *draw.sample(rare, 6), words[2]])))
    return pairs


def speech(seed: int, shuffled: bool) -> Facts:
    """A hybrid of CTC and attention, and sounds that spell their sentences."""
    draw = random.Random(seed)
    words = sorted(set(" ".join(tone_corpus.SENTENCES).split()))
    texts = [" ".join(draw.sample(words, k=draw.randint(3, 8))) for _ in range(240)]
    sounds = [texts[number] for number in order(len(texts), seed, shuffled)]
    return hybrid() | _spoken(hybrid()["collate"], sounds, texts)


def _spoken(collate: Any, sounds: list[str], texts: list[str]) -> Facts:
    items = [
        {"audio": tone_corpus.speech(sound), "transcript": text} for sound, text in zip(sounds, texts, strict=True)
    ]
    batches = DataLoader(items, batch_size=8, shuffle=True, collate_fn=collate)
    return {"train_dataset": items, "train_batches": batches}


TASKS = {"classifier": classifier, "tagger": tagger, "regression": regression, "summaries": summaries, "speech": speech}


def noisy(seed: int, _: bool = False) -> Facts:
    """Clouds of five classes; 30 % of the labels are drawn at random."""
    y = torch.randint(0, 5, (ROWS,))
    x = 2 * torch.randn(5, WIDTH)[y] + torch.randn(ROWS, WIDTH)
    return _classified(x, torch.where(torch.rand(ROWS) < 0.3, torch.randint(0, 5, (ROWS,)), y))


def imbalanced(seed: int, _: bool = False) -> Facts:
    """Five of a hundred rows are of the second class."""
    y = (torch.rand(ROWS) < 0.05).long()
    return _classified(torch.randn(2, WIDTH)[y] + torch.randn(ROWS, WIDTH), y)


def few(seed: int, _: bool = False) -> Facts:
    """From 20 to 56 rows of three clouds."""
    y = torch.arange(20 + 4 * seed) % 3
    return _classified(torch.randn(3, WIDTH)[y] + torch.randn(len(y), WIDTH), y)


def sorted_by_class(seed: int, _: bool = False) -> Facts:
    """As folders are."""
    y = torch.arange(ROWS) * 8 // ROWS
    return _classified(torch.randn(8, WIDTH)[y] + torch.randn(ROWS, WIDTH), y)


def spiral(seed: int, _: bool = False) -> Facts:
    """Two arms that wind around each other."""
    turn, y = 3 * torch.rand(ROWS, 1), torch.randint(0, 2, (ROWS,))
    angle = 2 * turn + torch.pi * y[:, None]
    x = torch.cat([turn * angle.cos(), turn * angle.sin()], 1) + 0.05 * torch.randn(ROWS, 2)
    return _classified(x, y)


def weak_regression(seed: int, _: bool = False) -> Facts:
    """A fifth of the variance can be explained."""
    x = torch.randn(ROWS, WIDTH)
    y = x[:, :1] + 2 * torch.randn(ROWS, 1)
    return tabular(mlp(1), x, y, lambda model, batch: mse_loss(model(batch[0]), batch[1]))


def _classified(x: torch.Tensor, y: torch.Tensor) -> Facts:
    model = mlp(int(y.max()) + 1, x.shape[1])
    return tabular(model, x, y, lambda model, batch: cross_entropy(model(batch[0]), batch[1]))


WEAK = {one.__name__: one for one in (noisy, imbalanced, few, sorted_by_class, spiral, weak_regression)}

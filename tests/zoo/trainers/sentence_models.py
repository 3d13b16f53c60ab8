"""SentenceTransformerTrainer: in-batch negatives, and scores of similarity."""

from __future__ import annotations

from typing import Any

from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    models,
)
from sentence_transformers.losses import CosineSimilarityLoss, MultipleNegativesRankingLoss, SoftmaxLoss
from transformers import BertConfig, BertModel

from tests.zoo.registry import Facts, setup
from tests.zoo.trainers.trainer_kit import (
    OBJECTS,
    SUBJECTS,
    VERBS,
    arguments,
    bert_sizes,
    draw,
    folder,
    sometimes,
    words_tokenizer,
)


def _model() -> SentenceTransformer:
    """A small BERT, read from a folder as a checkpoint is, with mean pooling."""
    tokenizer, place = words_tokenizer(), folder()
    BertModel(BertConfig(**bert_sizes(tokenizer))).save_pretrained(place)
    tokenizer.save_pretrained(place)
    words = models.Transformer(place, max_seq_length=32)
    return SentenceTransformer(modules=[words, models.Pooling(32)], device="cpu")


@setup
def ranked_sentences_trainer() -> Facts:
    """Pairs with the same verb and object; the other rows of the batch are the negatives."""
    pairs = [(f"{draw(VERBS)} {draw(OBJECTS)}", draw(SUBJECTS), draw(SUBJECTS)) for _ in range(96)]
    rows = {
        "anchor": [f"{a} {deed}{sometimes()}" for deed, a, _ in pairs],
        "positive": [f"{b} {deed}" for deed, _, b in pairs],
    }
    return _trained(rows, MultipleNegativesRankingLoss)


@setup
def similar_sentences_trainer() -> Facts:
    """Two sentences and how similar they are: 1 with the same verb, 0 else."""
    first = [draw(VERBS[:4]) for _ in range(96)]
    second = [one if number % 2 else draw(VERBS[:4]) for number, one in enumerate(first)]
    scores = [float(a == b) for a, b in zip(first, second, strict=True)]
    sides = ([f"{draw(SUBJECTS)} {verb} {draw(OBJECTS)}{sometimes()}" for verb in side] for side in (first, second))
    rows = dict(zip(("sentence1", "sentence2", "score"), (*sides, scores), strict=True))
    return _trained(rows, CosineSimilarityLoss)


@setup
def classified_sentences_trainer() -> Facts:
    """Whether two sentences have the same verb, told by a layer of the loss's own, which the model does not hold."""
    first = [draw(VERBS[:4]) for _ in range(96)]
    second = [one if number % 2 else draw(VERBS[:4]) for number, one in enumerate(first)]
    sides = ([f"{draw(SUBJECTS)} {verb} {draw(OBJECTS)}{sometimes()}" for verb in side] for side in (first, second))
    labels = [int(a == b) for a, b in zip(first, second, strict=True)]
    rows = dict(zip(("sentence1", "sentence2", "label"), (*sides, labels), strict=True))
    return _trained(rows, lambda model: SoftmaxLoss(model, sentence_embedding_dimension=32, num_labels=2))


def _trained(rows: dict[str, Any], loss: Any) -> Facts:
    model = _model()
    trainer = SentenceTransformerTrainer(
        model=model,
        args=arguments(SentenceTransformerTrainingArguments, eval_strategy="no"),
        train_dataset=Dataset.from_dict(rows),
        loss=loss(model),
    )
    return {"trainer": trainer}

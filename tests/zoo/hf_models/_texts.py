"""Small corpora that are made on the spot, and what a tokenizer learns from them."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import sentencepiece
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

FOLDER = tempfile.TemporaryDirectory()
WHO = {
    "the cat": "le chat", "my sister": "ma sœur", "a farmer": "un fermier", "the old doctor": "le vieux médecin",
    "our teacher": "notre professeur", "Anna": "Anna", "the bus driver": "le chauffeur", "his dog": "son chien",
}  # fmt: skip
DOES = {
    "eats": "mange", "buys": "achète", "paints": "peint", "forgets": "oublie", "brings": "apporte",
    "looks for": "cherche", "finds": "trouve", "sells": "vend",
}  # fmt: skip
WHAT = {
    "an apple": "une pomme", "the red bicycle": "le vélo rouge", "two fish": "deux poissons", "flowers": "des fleurs",
    "a letter": "une lettre", "the bread": "le pain", "some warm soup": "de la soupe chaude", "a clock": "une horloge",
}  # fmt: skip
WHERE = {
    "in the garden": "dans le jardin", "at the market": "au marché", "near the river": "près de la rivière",
    "behind the house": "derrière la maison", "at school": "à l'école",
}  # fmt: skip
WHEN = {
    "today": "aujourd'hui", "every morning": "chaque matin", "before the long winter": "avant le long hiver",
    "on Sunday": "dimanche",
}  # fmt: skip
FILLERS = (
    "The weather was mild.", "Nobody was surprised.", "It took less than an hour, people say.",
    "There was music in the street.", "The shops had just opened.", "We heard about it from the baker.",
)  # fmt: skip


@cache
def translations(rows: int = 64) -> tuple[tuple[str, str], ...]:
    """English sentences and their French, phrase by phrase: short ones and long ones, each once."""
    draw, pairs = random.Random(7), {}
    while len(pairs) < rows:
        phrases = [draw.choice(list(part.items())) for part in (WHO, DOES, WHAT)]
        phrases += [draw.choice(list(part.items())) for part in (WHERE, WHEN) if draw.random() < 0.4]
        english, french = (" ".join(side) + "." for side in zip(*phrases, strict=True))
        pairs[english] = french
    return tuple(pairs.items())


def sentences(rows: int = 64) -> list[str]:
    """The English ones."""
    return [english for english, _ in translations(rows)]


@cache
def articles(rows: int = 48) -> tuple[tuple[str, str], ...]:
    """Short reports and their headlines: the sentence that says who did what, without place and time."""
    draw, pairs = random.Random(8), {}
    while len(pairs) < rows:
        who, does, what = (draw.choice(list(part)) for part in (WHO, DOES, WHAT))
        lead = f"{who[0].upper()}{who[1:]} {does} {what} {draw.choice(list(WHERE))} {draw.choice(list(WHEN))}."
        rest = draw.sample(FILLERS, draw.randint(1, 4))
        pairs[" ".join([lead, *rest])] = f"{who} {does} {what}"
    return tuple(pairs.items())


@cache
def byte_pieces(texts: tuple[str, ...], specials: tuple[str, ...], size: int = 400) -> tuple[dict, list]:
    """Vocabulary and merges of a byte-level BPE, with the special tokens first."""
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    options = {"vocab_size": size, "special_tokens": list(specials), "initial_alphabet": alphabet}
    pieces.train_from_iterator(texts, trainers.BpeTrainer(**options, show_progress=False))
    model = json.loads(pieces.to_str())["model"]
    return model["vocab"], [tuple(pair) for pair in model["merges"]]


@cache
def metaspace_pieces(texts: tuple[str, ...], specials: tuple[str, ...], size: int = 400) -> tuple[dict, list]:
    """Vocabulary and merges of a BPE that writes spaces as ▁, as Llama and NLLB have it."""
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.Metaspace()
    options = {"vocab_size": size, "special_tokens": list(specials), "show_progress": False}
    pieces.train_from_iterator(texts, trainers.BpeTrainer(**options))
    model = json.loads(pieces.to_str())["model"]
    return model["vocab"], [tuple(pair) for pair in model["merges"]]


@cache
def unigram_pieces(texts: tuple[str, ...], specials: tuple[str, ...], size: int = 300) -> list[tuple[str, float]]:
    """Pieces with their scores, as T5 and Pegasus have them."""
    pieces = Tokenizer(models.Unigram())
    pieces.pre_tokenizer, pieces.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    options = {"vocab_size": size, "special_tokens": list(specials), "unk_token": "<unk>", "show_progress": False}
    pieces.train_from_iterator(texts, trainers.UnigramTrainer(**options))
    return [(piece, score) for piece, score in json.loads(pieces.to_str())["model"]["vocab"]]


@cache
def word_pieces(texts: tuple[str, ...], size: int = 400) -> dict[str, int]:
    """The vocabulary of a BERT tokenizer in lower case."""
    pieces = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    pieces.normalizer, pieces.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=size, special_tokens=specials, show_progress=False)
    )
    return pieces.get_vocab()


@cache
def sentencepiece_file(texts: tuple[str, ...], kind: str = "unigram", size: int = 200) -> str:
    """The path of a SentencePiece model."""
    stem = f"{FOLDER.name}/{kind}{size}-{abs(hash(texts))}"
    ids = {"bos_id": 0, "pad_id": 1, "eos_id": 2, "unk_id": 3}
    options = {"model_type": kind, "vocab_size": size, "hard_vocab_limit": False, "minloglevel": 2, **ids}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts), model_prefix=stem, **options)
    return f"{stem}.model"


def pieces_of(model_file: str) -> list[str]:
    """The pieces in order."""
    model = sentencepiece.SentencePieceProcessor(model_file=model_file)
    return [model.id_to_piece(number) for number in range(model.get_piece_size())]


def vocabulary_file(tokens: Iterable[str], name: str) -> str:
    """The path of a JSON file that numbers these tokens."""
    path = Path(FOLDER.name) / name
    path.write_text(json.dumps({token: number for number, token in enumerate(tokens)}), "utf-8")
    return str(path)

"""Tokenizers of another model, language or case."""

import copy
from typing import Any

from diagnose import fault
from probes.faults.changes import SEQUENCES, Facts
from probes.faults.extractor_of_another_model import with_extractor
from probes.faults.vocabulary import spelling, with_rows_for, with_tokenizer

LOWER = "aàáảãạăằắẳẵặâầấẩẫậbcdđeèéẻẽẹêềếểễệfghiìíỉĩịjklmnoòóỏõọôồốổỗộơờớởỡợpqrstuùúủũụưừứửữựvwxyỳýỷỹỵz "
PLAIN = ("e2e", "mt5")  # no prefix that a tokenizer would have to know, no CTC that letters are too many for
MORE = 2000


def _rows(facts: Facts) -> int:
    return max(len(weight) for weight in facts["model"].parameters())


@fault(
    "tokenizer_of_a_smaller_model",
    "the model has 2,000 rows that the tokenizer has no token for",
    "TOK002",
    lambda f: _rows(f) > len(f["tokenizer"]) + 1024,
    SEQUENCES,
)
def tokenizer_of_a_smaller_model(facts: Facts) -> Facts:
    return with_rows_for(facts, len(facts["tokenizer"]) + MORE)


def _texts(facts: Facts) -> list[dict[str, Any]]:
    return [{"transcript": item["transcript"]} for item in map(facts["train_dataset"].__getitem__, range(36))]


def _spelt(facts: Facts, tokenizer: Any) -> Facts:
    return {**with_tokenizer(facts, tokenizer), "train_rows": _texts(facts)}


def _unknown(facts: Facts, text: str = "mẹ mua cá") -> bool:
    return "<unk>" in facts["tokenizer"].tokenize(text)


@fault("tokenizer_in_capitals", "the tokenizer knows capital letters alone", "DAT028", _unknown, PLAIN)
def tokenizer_in_capitals(facts: Facts) -> Facts:
    return _spelt(facts, spelling(LOWER.upper()))


@fault("tokenizer_without_accents", "the tokenizer lacks the letters of the language", "DAT029", _unknown, PLAIN)
def tokenizer_without_accents(facts: Facts) -> Facts:
    return _spelt(facts, spelling("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "))


@fault(
    "tokenizer_of_other_words",
    "the tokenizer knows words, and few of these",
    "TOK004",
    _unknown,
    ("e2e", "hybrid", "mt5"),
)
def tokenizer_of_other_words(facts: Facts) -> Facts:
    return _spelt(facts, spelling(" ".join(["the door mẹ", *LOWER.split()[0], *LOWER.split()[0].upper()]), by=" "))


@fault(
    "tokenizer_strips_accents",
    "the tokenizer takes the accents off",
    "TOK003",
    lambda f: "á" not in f["tokenizer"].decode(f["tokenizer"]("cá")["input_ids"]),
    SEQUENCES,
)
def tokenizer_strips_accents(facts: Facts) -> Facts:
    from tokenizers import normalizers

    tokenizer = copy.deepcopy(facts["tokenizer"])
    tokenizer.backend_tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
    return _spelt(facts, tokenizer)


def _alike(facts: Facts) -> bool:
    return facts["tokenizer"].eos_token_id == facts["tokenizer"].unk_token_id


@fault("end_token_is_unknown", "the end token is one that the tokenizer does not have", "TOK005", _alike, PLAIN)
def end_token_is_unknown(facts: Facts) -> Facts:
    tokenizer = spelling(LOWER + LOWER.upper())
    tokenizer.eos_token = "<unk>"
    return _spelt(facts, tokenizer)


@fault(
    "extractor_at_half_the_rate",
    "the feature extractor works at 8 kHz",
    "TOK009",
    lambda f: f["feature_extractor"].sampling_rate == 8000,
    ("whisper",),
)
def extractor_at_half_the_rate(facts: Facts) -> Facts:
    facts["model"].config.sampling_rate = 16_000
    return with_extractor(facts, feature_size=40, chunk_length=2, sampling_rate=8000)

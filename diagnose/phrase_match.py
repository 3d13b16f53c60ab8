"""How well two short texts match: rare words count more; typos, plurals and word order do not matter."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from math import log
from unicodedata import normalize

STOP_WORDS = {
    "a", "an", "and", "are", "at", "be", "become", "becomes", "becoming", "been", "by", "do", "does", "for", "from",
    "go", "goes", "i", "in", "is", "it", "its", "my", "of", "on", "or", "stay", "stays", "still", "that", "the", "then",
    "this", "to", "too", "turns", "was", "while", "why", "with",
}  # fmt: skip
SYNONYMS = {
    "0": "zero", "100%": "100", "bce": "bceloss", "can't": "not", "cannot": "not", "cant": "not", "dev": "validation",
    "descend": "decrease", "doesnt": "not", "dont": "not", "down": "decrease", "drop": "decrease",
    "dropping": "decrease",
    "eval": "validation", "explosion": "explod", "evaluation": "validation", "fall": "decrease", "falling": "decrease",
    "falls": "decrease",
    "gpu": "cuda", "grad": "gradient", "improve": "decrease", "improving": "decrease", "increase": "up",
    "increases": "up", "increasing": "up", "inf": "infinite", "infinity": "infinite", "isnt": "not", "ko": "khong",
    "lr": "rate", "nans": "nan", "never": "not", "overfitting": "overfit", "overfits": "overfit", "no": "not",
    "ram": "memory", "rise": "up", "rises": "up",
    "rising": "up", "grow": "up", "val": "validation", "vram": "memory", "without": "not", "wont": "not",
}  # fmt: skip
ENDINGS = ("ations", "age", "ation", "ments", "ment", "ings", "ing", "ies", "ed", "es", "e", "s")
STEM = 3  # letters that a word keeps
TYPO = 82.0  # of 100: one wrong letter in six


@cache
def words(text: str) -> frozenset[str]:
    """The words that count, without endings, synonyms in one form."""
    letters = normalize("NFD", text.lower().replace("đ", "d"))  # a tone mark is a character of its own
    plain = re.sub(r"[\u0300-\u036f']|model\.", "", letters).replace("_", " ")
    found = re.findall(r"-?\w+%?", re.sub(r"\b0\.0+\b", "zero", plain))
    return frozenset(_stem(SYNONYMS.get(word, word)) for word in found if word not in STOP_WORDS)


def rarity(texts: Iterable[str]) -> Mapping[str, float]:
    """The inverse document frequency of each word."""
    lines = [words(text) for text in texts]
    counts = Counter(word for line in lines for word in line)
    return {word: log(1 + len(lines) / count) for word, count in counts.items()}


def known_words(query: str, weights: Mapping[str, float]) -> frozenset[str]:
    """The words of the query; an unknown word becomes the one that differs by a typo."""
    return frozenset(word if word in weights else _without_typo(word, weights) for word in words(query))


def likeness(query: frozenset[str], text: str, weights: Mapping[str, float]) -> float:
    """The Dice coefficient of both sets of words, weighted, from 0 to 100."""
    unknown = max(weights.values(), default=1.0)
    shared, both = (sum(weights.get(word, unknown) for word in part) for part in (query & words(text), query))
    total = both + sum(weights.get(word, unknown) for word in words(text))
    return 200 * shared / total if total else 0.0


def _without_typo(word: str, weights: Mapping[str, float]) -> str:
    from rapidfuzz import fuzz, process

    long_enough = [one for one in weights if len(one) >= STEM] if len(word) > STEM else []
    close = process.extractOne(word, long_enough, scorer=fuzz.ratio, score_cutoff=TYPO)
    return close[0] if close else word


def _stem(word: str) -> str:
    endings = (e for e in ENDINGS if word.endswith(e) and len(word) - len(e) >= STEM and not word.endswith("ss"))
    stem = word.removesuffix(next(endings, "")) if word.isascii() else word
    return SYNONYMS.get(stem, stem)

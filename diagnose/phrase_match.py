"""How well two short texts match: rare words count more; typos, plurals and word order do not matter."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import log
from unicodedata import normalize

from diagnose.playbook_files import table

IGNORED = """
    a about after also always an and any are at be become becomes becoming been but by did do does during even for
    from get gets getting give gives go goes going had has have how i in instead is it its just keep keeps me my of
    on only or our percent really so some stay stays still than that the their then there they this to too turns
    very was were what when whenever while why will with you your bi cac co cua da den hay la mot nay ngay nhung qua
    rat ra sao thi tai va vao
"""  # they say nothing about a fault; those from "bi" on are Vietnamese, without tone marks
STOP_WORDS = frozenset(IGNORED.split())
ERROR_KINDS = re.compile(r"\b(Runtime|Value|Type|Index|Assertion|Attribute|OS)Error\b|(?<=OfMemory)Error\b")
ENDINGS = ("ations", "age", "ation", "ments", "ment", "ings", "ing", "ies", "ed", "es", "e", "s")
LONGEST = 4  # words that are a synonym together
STEM = 3  # letters that a word keeps
TYPO = 87.0  # of 100: one wrong letter in eight, or one too many in seven


@cache
def words(text: str) -> frozenset[str]:
    """The words that count, without endings, synonyms in one form."""
    spaced = re.sub(r"(?<=[a-z][a-z])(?=[A-Z][a-z])", " ", ERROR_KINDS.sub("", text))  # FileNotFoundError
    letters = normalize("NFD", spaced.lower().replace("đ", "d"))  # a tone mark is a character of its own
    plain = re.sub(r"[\u0300-\u036f']|model\.", "", letters).replace("_", " ")
    found = re.findall(r"-?\w+", re.sub(r"\b\d+\.\d+\b", "", re.sub(r"\b0\.0+\b", "zero", plain)))
    return frozenset(_joined([_one_word(word) for word in found if word not in STOP_WORDS]))


def rarity(texts: Iterable[str]) -> Mapping[str, float]:
    """The inverse document frequency of each word; that of the empty word holds for those that do not occur."""
    lines = [words(text) for text in texts]
    counts = Counter(word for line in lines for word in line)
    return {word: log(1 + len(lines) / count) for word, count in counts.items()} | {"": log(1 + len(lines))}


def known_words(query: str, weights: Mapping[str, float]) -> frozenset[str]:
    """The words of the query; an unknown word becomes the one that differs by a typo, an unknown number is left out."""
    found = (word for word in words(query) if word in weights or not word.isdecimal())
    return frozenset(word if word in weights else _without_typo(word, weights) for word in found)


def likeness(query: frozenset[str], text: str, weights: Mapping[str, float]) -> float:
    """The Dice coefficient of both sets of words, weighted, from 0 to 100."""
    unknown = weights[""]
    shared, total = (sum(weights.get(word, unknown) for word in part) for part in (query & words(text), query))
    total += sum(weights.get(word, unknown) for word in words(text))
    return 200 * shared / total if total else 0.0


def _without_typo(word: str, weights: Mapping[str, float]) -> str:
    from rapidfuzz import fuzz, process

    if len(word) <= STEM or not word.isalpha():
        return word
    alike = [one for one in weights if len(one) >= STEM and one[0] == word[0]]
    close = process.extractOne(word, alike, scorer=fuzz.ratio, score_cutoff=TYPO)
    return close[0] if close else word


def _one_word(word: str) -> str:
    """In American spelling, without its ending, and the first of its synonyms."""
    stem = _stem(re.sub(r"(?<=\w\w)is(?=(e|ed|es|ing|ation)$)", "iz", word))
    return _synonyms().get((stem,), stem)


def _joined(found: list[str]) -> Iterator[str]:
    """Where neighboring words are a synonym together, that one; the longest first."""
    start = 0
    while start < len(found):
        sizes = range(min(LONGEST, len(found) - start), 1, -1)
        size = next((size for size in sizes if tuple(found[start : start + size]) in _synonyms()), 1)
        yield from _synonyms().get(tuple(found[start : start + size]), found[start]).split()
        start += size


@cache
def _synonyms() -> Mapping[tuple[str, ...], str]:
    """By neighboring words: the first column of synonyms.tsv, where the second lists those that mean the same."""
    groups = table("synonyms.tsv").items()
    phrases = [(one.split(), head) for head, others in groups for one in [head, *others.split(", ")]]
    plain = [([_stem(w) for w in words if w not in STOP_WORDS], _head(head)) for words, head in phrases]
    single = {tuple(words): head for words, head in plain if len(words) == 1}
    return single | {tuple(single.get((one,), one) for one in words): head for words, head in plain if len(words) > 1}


def _head(words: str) -> str:
    return " ".join(map(_stem, words.split()))


def _stem(word: str) -> str:
    endings = (e for e in ENDINGS if word.endswith(e) and len(word) - len(e) >= STEM and not word.endswith("ss"))
    stem = word.removesuffix(next(endings, "")) if word.isascii() else word
    doubled = stem != word and len(stem) > STEM and stem[-1] == stem[-2] and stem[-1] not in "aeiouls"
    return stem[:-1] if doubled else stem  # stopped: stop

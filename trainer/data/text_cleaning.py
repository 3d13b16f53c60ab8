"""The cleaning rules for transcripts, translations, documents and summaries, one function for each."""

import re
import unicodedata
from collections.abc import Callable

TAGS = re.compile(r"(?<!\s)(?:\s*\[[^\[\]\n]{0,40}\](?!\())+\s*")  # short ones, and not the text of a markdown link
BOLD = re.compile(r"\*\*(?=\S)((?:(?!\*\*).)+)(?<=\S)\*\*", re.DOTALL)
ITALICS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])")
INVISIBLE = re.compile("[\u200b\u2060\ufeff]")  # zero-width space, word joiner, stray byte-order mark


def strip_tags(text: str) -> str:
    """Sounds that are not speech go, and the words around them stay apart.

    >>> strip_tags("[cười] Xin chào[music]mọi người [laughter].")
    'Xin chào mọi người.'
    """
    while (stripped := TAGS.sub(_gap, text)) != text:
        text = stripped
    return text


def _gap(tags: re.Match[str]) -> str:
    """What stands where the tags stood: nothing at either end and before punctuation, else a space."""
    after = tags.string[tags.end() : tags.end() + 1]
    return "" if not tags.start() or not after or after in ",.!?;:…" else " "


def strip_emphasis(text: str) -> str:
    """Markdown's asterisks go; a product of numbers keeps its own.

    >>> strip_emphasis("**Hello** *everyone*, 3 * 4 = 2*6")
    'Hello everyone, 3 * 4 = 2*6'
    """
    while (stripped := ITALICS.sub(r"\1", BOLD.sub(r"\1", text))) != text:
        text = stripped
    return text


def normalise_whitespace(text: str) -> str:
    """One plain space between words, none around them; no-break and zero-width ones too.

    >>> normalise_whitespace("  Hello\u00a0 world\\n")
    'Hello world'
    """
    return " ".join(INVISIBLE.sub("", text).split())


def compose(text: str) -> str:
    """One code point for one letter with its marks (NFC): the same word is the same string.

    >>> len("e\u0302\u0301"), len(compose("e\u0302\u0301"))
    (3, 1)
    """
    return unicodedata.normalize("NFC", text)


RULES: dict[str, Callable[[str], str]] = {
    "strip tags": strip_tags,
    "strip emphasis": strip_emphasis,
    "normalise whitespace": normalise_whitespace,
    "compose letters": compose,
}


def clean(text: str) -> tuple[str, set[str]]:
    """The clean text, and the names of the rules that changed something; cleaning twice changes nothing more."""
    used: set[str] = set()
    while True:
        before = text
        for name, rule in RULES.items():
            text, previous = rule(text), text
            if text != previous:
                used.add(name)
        if text == before:
            return text, used

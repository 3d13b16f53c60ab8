"""The cleaning rules for transcripts, translations, documents and summaries, one function for each."""

import re
import unicodedata
from collections.abc import Callable

TAGS = re.compile(r"(?<!\s)(?:\s*\[[^\[\]\n]{0,40}\](?!\())+\s*")  # short ones, and not the text of a markdown link
BOLD = re.compile(r"\*\*(?=\S)((?:(?!\*\*).)+)(?<=\S)\*\*", re.DOTALL)
ITALICS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])")
INVISIBLE = re.compile("[\u200b\u2060\ufeff]")  # zero-width space, word joiner, stray byte-order mark


def strip_tags(text: str) -> str:
    """Remove tags of sounds that are not speech.

    >>> strip_tags("[cười] Xin chào[music]mọi người [laughter].")
    'Xin chào mọi người.'
    """
    while (stripped := TAGS.sub(_gap, text)) != text:
        text = stripped
    return text


def _gap(tags: re.Match[str]) -> str:
    """What replaces the tags: nothing at either end and before punctuation, else a space."""
    after = tags.string[tags.end() : tags.end() + 1]
    return "" if not tags.start() or not after or after in ",.!?;:…" else " "


def strip_emphasis(text: str) -> str:
    """Remove Markdown's asterisks, but not those between numbers.

    >>> strip_emphasis("**Hello** *everyone*, 3 * 4 = 2*6")
    'Hello everyone, 3 * 4 = 2*6'
    """
    while (stripped := ITALICS.sub(r"\1", BOLD.sub(r"\1", text))) != text:
        text = stripped
    return text


def normalize_whitespace(text: str) -> str:
    """Collapse whitespace, no-break and zero-width included, to single spaces.

    >>> normalize_whitespace("  Hello\u00a0 world\\n")
    'Hello world'
    """
    return " ".join(INVISIBLE.sub("", text).split())


def compose(text: str) -> str:
    """Compose letters with their marks (NFC).

    >>> len("e\u0302\u0301"), len(compose("e\u0302\u0301"))
    (3, 1)
    """
    return unicodedata.normalize("NFC", text)


RULES: dict[str, Callable[[str], str]] = {
    "strip tags": strip_tags,
    "strip emphasis": strip_emphasis,
    "normalize whitespace": normalize_whitespace,
    "normalize to NFC": compose,
}


def clean(text: str) -> tuple[str, set[str]]:
    """The clean text, and the names of the rules that changed it; idempotent."""
    used: set[str] = set()
    while True:
        before = text
        for name, rule in RULES.items():
            text, previous = rule(text), text
            if text != previous:
                used.add(name)
        if text == before:
            return text, used

"""Finds in a text what nobody says: markup, broken encodings, letters in pieces, what cannot be seen, look-alikes."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache

from probes.instruments.corpus_progress import counted
from probes.measured.corpus import CorpusRow
from probes.measured.text import TextRow

MARKUP = re.compile(
    r"\[[^\[\]\n]{1,40}\]"  # [laughter], [music]
    r"|</?[A-Za-z][^<>\n]{0,60}>"  # <i>, <font color=...>
    r"|\*\*[^*\n]+\*\*|(?<![\w*])\*[^\s*][^*\n]*\*(?![\w*])"  # **bold**, *italics*
    r"|&(?:[a-z]{2,8}|#\d{1,6});"  # &amp; &#39;
    r"|[♪♫]"
)
USEFUL = frozenset("\u200c\u200d\u3000\t\n")  # joiners that some scripts need, the wide space of another
LIKE = frozenset({"LATIN", "CYRILLIC", "GREEK"})  # scripts that share the looks of many letters
Ids = Callable[[str], Sequence[int]]


def read_texts(rows: Sequence[CorpusRow], ids: Ids | None = None, tokens: Collection[str] = ()) -> tuple[TextRow, ...]:
    """Every text of the rows. `ids` tells what a tokenizer makes of a text, `tokens` what it knows as a whole."""
    texts = [(row, column, text) for row in rows for column, text in row.texts.items()]
    return tuple(_read(*text, ids, tokens) for text in counted(texts, len(texts), "texts read"))


def _read(row: CorpusRow, column: str, text: str, ids: Ids | None, tokens: Collection[str]) -> TextRow:
    plain = clean(text)
    return TextRow(
        row,
        column,
        markup=tuple(dict.fromkeys(mark for mark in MARKUP.findall(text) if mark not in tokens)),
        meant=_meant(text),
        apart=max(0, len(text) - len(unicodedata.normalize("NFC", text))),
        invisible=tuple(dict.fromkeys(_name(letter) for letter in text if _unseen(letter))),
        mixed=tuple(_mixed(text)),
        same_ids=ids is not None and plain != text and list(ids(plain)) == list(ids(text)),
    )


def clean(text: str) -> str:
    """Composed, with plain spaces and without what cannot be seen."""
    seen = "".join((" " if unicodedata.category(c) == "Zs" else "") if _unseen(c) else c for c in text)
    return unicodedata.normalize("NFC", seen)


def _meant(text: str) -> str:
    """ftfy only tells: what it would write is shown and never used (it also composes letters)."""
    if "\ufffd" in text:
        return "lost: \ufffd stands for bytes that could not be read"
    if text.isascii():
        return ""
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    return mended if is_bad(text) and (mended := fix_encoding(text)) != text else ""


@cache
def _unseen(letter: str) -> bool:
    if letter in USEFUL or letter == " ":
        return False
    return unicodedata.category(letter) in ("Cc", "Cf", "Zs", "Zl", "Zp", "Co", "Cn")


def _name(letter: str) -> str:
    return f"U+{ord(letter):04X} {unicodedata.name(letter, 'control character').lower()}"


@cache
def script(letter: str) -> str:
    """LATIN, CYRILLIC, HANGUL…: the first word of the character's name."""
    return unicodedata.name(letter, "").partition(" ")[0] if letter.isalpha() else ""


def _mixed(text: str) -> Iterator[str]:
    if text.isascii():
        return
    for word in re.findall(r"[^\W\d_]{3,}", unicodedata.normalize("NFC", text)):
        if len(_scripts(word) & LIKE) > 1:
            yield word


def _scripts(letters: Iterable[str]) -> set[str]:
    return {script(letter) for letter in letters}

"""Finds markup, broken encodings, decomposed letters, invisible characters and homoglyphs in texts."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache

from probes.facts.core.progress_log import log_progress
from probes.facts.corpus.types import CorpusRow
from probes.facts.text.mojibake import undo_mojibake
from probes.facts.text.types import TextCheck

MARKUP = re.compile(
    r"\[[^\[\]\n]{1,40}\]"  # [laughter], [music]
    r"|</?[A-Za-z][^<>\n]{0,60}>"  # <i>, <font color=...>
    r"|\*\*[^*\n]+\*\*|(?<![\w*])\*[^\s*][^*\n]*\*(?![\w*])"  # **bold**, *italics*
    r"|&(?:[a-z]{2,8}|#\d{1,6});"  # &amp; &#39;
    r"|[♪♫]"
)
# In what is spoken nobody says these either; a document may well hold them.
UNSPOKEN = re.compile(r"https?://\S+|\d[\d:.,]{4,}\s*-->\s*\d[\d:.,]{4,}|[\U0001F300-\U0001FAFF]")
SPEECH_COLUMNS = ("transcript", "transcription", "sentence", "translation")
USEFUL = frozenset("\u200c\u200d\u3000\t\n")  # joiners that some scripts need, the wide space of another
LIKE = frozenset({"LATIN", "CYRILLIC", "GREEK"})  # scripts that share the looks of many letters
Ids = Callable[[str], Sequence[int]]


def read_texts(
    rows: Sequence[CorpusRow], ids: Ids | None = None, tokens: Collection[str] = ()
) -> tuple[TextCheck, ...]:
    """Every text of the rows. `ids` tells what a tokenizer makes of a text, `tokens` what it knows as a whole."""
    texts = [(row, column, text) for row in rows for column, text in row.texts.items()]
    return tuple(read_text(*text, ids, tokens) for text in log_progress(texts, len(texts), "texts read"))


def read_text(row: CorpusRow, column: str, text: str, ids: Ids | None, tokens: Collection[str]) -> TextCheck:
    plain = clean(text)
    return TextCheck(
        row,
        column,
        markup=tuple(dict.fromkeys(mark for mark in _marks(column, text) if mark not in tokens)),
        repaired=undo_mojibake(text),
        decomposed=max(0, len(text) - len(unicodedata.normalize("NFC", text))),
        invisible=tuple(dict.fromkeys(_name(letter) for letter in text if _unseen(letter) or _breaks(column, letter))),
        homoglyph_words=tuple(_mixed(text)),
        same_ids=ids is not None and plain != text and list(ids(plain)) == list(ids(text)),
    )


def _marks(column: str, text: str) -> list[str]:
    return MARKUP.findall(text) + (UNSPOKEN.findall(text) if column in SPEECH_COLUMNS else [])


def _breaks(column: str, letter: str) -> bool:
    """A tab in what somebody said is the rest of a row that was read wrongly."""
    return letter == "\t" and column in SPEECH_COLUMNS


def clean(text: str) -> str:
    """Composed, with plain spaces and without what cannot be seen."""
    seen = "".join((" " if unicodedata.category(c) == "Zs" else "") if _unseen(c) else c for c in text)
    return unicodedata.normalize("NFC", seen)


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
        if len(set(map(script, word)) & LIKE) > 1 or (_dressed(word) and not _WIDE.search(text)):
            yield word


_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts whose texts have wide Latin letters by right


def _dressed(word: str) -> bool:
    """Latin letters as another character: wide, bold, or two in one (NFKC makes plain ones of them)."""
    strange = [c for c in word if not c.isascii() and unicodedata.category(c) in ("Ll", "Lu")]  # not º, which is a sign
    return any(unicodedata.normalize("NFKC", c).isascii() for c in strange)

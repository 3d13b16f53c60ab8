"""Text normalization before scoring, of references and predictions: words count, punctuation does not."""

import re
import unicodedata

_APOSTROPHES = str.maketrans("’‘ʼ＇`´", "''''''")
_LOOSE_APOSTROPHE = re.compile(r"(?<!\w)'|'(?!\w)")
# hòa and hoà, thúy and thuý: two schools of where the tone mark stands in an open syllable.
_OLD_TONE = re.compile(
    r"(?:(o)([\u0300\u0301\u0303\u0309\u0323])([ae])|(u)([\u0300\u0301\u0303\u0309\u0323])(y))(?![\w\u0300-\u036f])"
)


def normalize(text: str) -> str:
    """Lower case, composed Unicode, single spaces, letters and tone marks but no punctuation or symbols."""
    visible = "".join(
        character for character in text.translate(_APOSTROPHES) if unicodedata.category(character) != "Cf"
    )
    lowered = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).lower())
    spoken = "".join(character if _is_word_character(character) else " " for character in _one_tone_style(lowered))
    return " ".join(_LOOSE_APOSTROPHE.sub(" ", spoken).split())


def _is_word_character(character: str) -> bool:
    """A letter, a mark, a digit, an apostrophe, or the one sign that is read aloud as a word."""
    return character in "'%" or unicodedata.category(character)[0] in "LMN"


def _one_tone_style(text: str) -> str:
    moved = _OLD_TONE.sub(
        lambda found: "".join(found.group(1, 3, 2) if found[1] else found.group(4, 6, 5)),
        unicodedata.normalize("NFD", text),
    )
    return unicodedata.normalize("NFC", moved)

"""A text beside its reference, with the words that differ marked."""

from difflib import SequenceMatcher

from markupsafe import Markup, escape


def marked_words(text: str, reference: str) -> Markup:
    """The words of `text` that are not in `reference` at their place are in <mark>."""
    words, expected = text.split(), reference.split()
    matched = SequenceMatcher(a=expected, b=words, autojunk=False).get_opcodes()
    return Markup(" ").join(_part(kind, words[start:end]) for kind, _, _, start, end in matched if end > start)


def _part(kind: str, words: list[str]) -> Markup:
    joined = escape(" ".join(words))
    return joined if kind == "equal" else Markup("<mark>{}</mark>").format(joined)

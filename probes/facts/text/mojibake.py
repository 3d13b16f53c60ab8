"""Tells what a text was before it was read with the wrong encoding. It only tells: nothing is mended."""

import re

CODECS = ("cp1258", "cp1252", "latin-1", "cp1250", "mac-roman")
LOST = re.compile(r"(?<=[^\W\d_])\?(?=[^\W\d_])")  # a question mark between two letters
FEWEST = 2  # of these in one text; a single one may be a missing space


def undo_mojibake(text: str) -> str:
    """Empty where the text is sound."""
    if "\ufffd" in text:
        return "lost: \ufffd stands for bytes that could not be read"
    if len(LOST.findall(text)) >= FEWEST:
        return "lost: ? stands for letters that could not be written"
    if text.isascii():
        return ""
    if turned := _turned(text):
        return turned
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    return mended if is_bad(text) and (mended := fix_encoding(text)) != text else ""


def _turned(text: str) -> str:
    """Letters that are, byte by byte, another text in UTF-8; by chance next to no text is."""
    for codec in CODECS:
        try:
            was = text.encode(codec).decode("utf-8")
        except UnicodeError:
            continue
        if len(was) < len(text):
            return was
    return ""

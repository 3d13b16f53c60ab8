"""Finds what a text was before it was read with the wrong encoding; nothing is changed."""

import re

CODECS = ("cp1258", "cp1252", "latin-1", "cp1250", "mac-roman")
LOST = re.compile(r"(?<=[^\W\d_])\?(?=[^\W\d_])")  # a question mark between two letters
FEWEST = 2  # of these in one text; a single one may be a missing space


def undo_mojibake(text: str) -> str:
    """The text as it was, or how it was damaged; "" where it is sound."""
    if "\ufffd" in text:
        return "lost: \ufffd stands for bytes that could not be read"
    if len(LOST.findall(text)) >= FEWEST:
        return "lost: ? stands for letters that could not be written"
    if text.isascii():
        return ""
    if decoded := _decoded_as_utf8(text):
        return decoded
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    return repaired if is_bad(text) and (repaired := fix_encoding(text)) != text else ""


def _decoded_as_utf8(text: str) -> str:
    """Letters that are, byte by byte, another text in UTF-8; by chance next to no text is."""
    for codec in CODECS:
        try:
            was = text.encode(codec).decode("utf-8")
        except UnicodeError:
            continue
        if len(was) < len(text):
            return was
    return ""

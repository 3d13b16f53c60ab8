"""Text from outside (file names, transcripts, errors of libraries) before it reaches a terminal or a spreadsheet."""

import re

# ESC sequences with their parameters first, then single controls: C0 but tab and newline, DEL, C1, and those that turn
# the direction of a line, so that it shows other text than it holds.
SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])?"
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def printable(text: str) -> str:
    """The text without what a terminal would carry out."""
    return CONTROL.sub("", SEQUENCE.sub("", text))


def as_cell(text: str) -> str:
    """The text of a table cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text

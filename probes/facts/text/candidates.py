"""Which texts of a table need a closer look: one search for all characters that any check is about.

What is passed over here has nothing that `read_texts` could find; tests/probes/text/test_candidates.py compares them.
"""

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING

from probes.facts.core.progress_log import log_progress
from probes.facts.corpus.row_table import tables_of
from probes.facts.corpus.types import CorpusRow
from probes.facts.text.mojibake import CODECS
from probes.facts.text.text_checks import Ids, read_text, read_texts
from probes.facts.text.types import TextChecks

if TYPE_CHECKING:
    import polars as pl

MARKUP = r"[\[<*&\u266a\u266b\u{1F300}-\u{1FAFF}]|-->|https?://"
# Controls, formats, spaces other than U+0020, private and unassigned ones; marks and the parts of Hangul syllables.
UNSEEN = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]|[\p{Zs}&&[^ ]]|[\p{M}\u1100-\u11ff]"
# Latin letters beside Greek or Cyrillic ones, and letters that NFKC makes plain ones of.
DRESSED = (
    r"\u017f\u1d00-\u1dbf\u2071\u207f-\u209c\u2100-\u214f\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}"
)
ALIKE = r"[\p{Greek}\p{Cyrillic}]"
LATIN = r"\p{Latin}"
CONTINUES = range(0x80, 0xC0)  # the later bytes of a character in UTF-8; in Mac Roman, where these are letters,
LEADS = range(0xC2, 0xF5)  # the first one
INNOCENT = ("lower_accented", "lower_common", "upper_common", "kaomoji")  # of ftfy: never without one of the others,
OTHERS = "ŒœВГРСвЂўΒΓΞΟβ"  # or one of these


def check_texts(rows: Sequence[CorpusRow], ids: Ids | None = None, tokens: Collection[str] = ()) -> TextChecks:
    """The rows of a table are picked by their characters before they are read."""
    tables = tables_of(rows)
    if not tables:
        read = read_texts(rows, ids, tokens)
        return TextChecks(read, len(read))
    texts = [
        (table[number], column, table.column(column)[number])
        for table in tables
        for column in table.texts
        for number in candidates(table.column(column))
    ]
    found = tuple(read_text(*text, ids, tokens) for text in log_progress(texts, len(texts), "texts read"))
    return TextChecks(found, sum(len(table) * len(table.texts) for table in tables))


def candidates(column: "pl.Series") -> "pl.Series":
    """Numbers of the texts that any check could find something in."""
    import polars as pl

    text = pl.col(column.name)
    apparent = f"{MARKUP}|{UNSEEN}|[{DRESSED}]|{broken_characters()}"
    some = (
        column.to_frame().lazy().with_row_index("_row").filter(text.str.contains(rf"{apparent}|[?]|{ALIKE}")).collect()
    )
    found = (
        text.str.contains(apparent)
        | (text.str.count_matches("?", literal=True) > 1)
        | (text.str.contains(ALIKE) & text.str.contains(LATIN))
    )
    return some.lazy().filter(found).select("_row").collect()["_row"]


@cache
def broken_characters() -> str:
    """A class of characters, one of which is in every text that was read with the wrong encoding."""
    from ftfy.badness import MOJIBAKE_CATEGORIES

    found = set("\ufffd" + OTHERS)
    for codec in CODECS:
        found |= _decoded(codec, LEADS if codec == "mac-roman" else CONTINUES)
    for name, characters in MOJIBAKE_CATEGORIES.items():
        found |= set(_expanded(characters)) if name not in INNOCENT else set()
    return "[" + "".join(f"\\u{{{ord(one):x}}}" for one in sorted(found)) + "]"


def _decoded(codec: str, values: Sequence[int]) -> set[str]:
    every = {bytes([value]).decode(codec, "ignore") for value in values}
    return {character for character in every if character and ord(character) > 127}


def _expanded(characters: str) -> str:
    """The characters of a class, ranges written out."""
    spans = re.findall(r"(.)-(.)", characters)
    ranges = "".join(chr(number) for first, last in spans for number in range(ord(first), ord(last) + 1))
    return characters + ranges

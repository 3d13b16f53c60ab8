"""How texts are written: with capitals, punctuation, digits."""

import re
from collections.abc import Sequence

from probes.facts.corpus.text_columns import main_texts
from probes.facts.corpus.types import CorpusRow
from probes.facts.text.types import TextStyle

PUNCTUATION = "[.,?!;:…。、？！]"


def style_of(rows: Sequence[CorpusRow]) -> TextStyle:
    texts = main_texts(rows)
    if isinstance(texts, list):
        return _style_of([text for text in texts if text])
    import polars as pl

    text = pl.col("text")
    habits = (text != text.str.to_lowercase(), text.str.contains(PUNCTUATION), text.str.contains(r"\d"))
    filled = texts.alias("text").to_frame().filter(text != "")
    shares = filled.select(*(habit.mean().alias(str(n)) for n, habit in enumerate(habits))).row(0)
    return TextStyle(filled.height, *(float(share or 0.0) for share in shares))


def _style_of(texts: Sequence[str]) -> TextStyle:
    habits = (
        sum(text != text.lower() for text in texts),
        sum(re.search(PUNCTUATION, text) is not None for text in texts),
        sum(re.search(r"\d", text) is not None for text in texts),
    )
    return TextStyle(len(texts), *(count / max(1, len(texts)) for count in habits))

"""How texts are written: with capitals, punctuation, digits."""

from collections.abc import Sequence

from probes.facts.corpus.text_columns import main_texts
from probes.facts.corpus.types import CorpusRow
from probes.facts.text.types import TextStyle

PUNCTUATION = "[.,?!;:…。、？！]"


def style_of(rows: Sequence[CorpusRow]) -> TextStyle:
    import polars as pl

    text = pl.col("text")
    texts = pl.DataFrame({"text": main_texts(rows)}, schema={"text": pl.String}).filter(text != "")
    habits = (text != text.str.to_lowercase(), text.str.contains(PUNCTUATION), text.str.contains(r"\d"))
    shares = texts.select(*(habit.mean().alias(str(n)) for n, habit in enumerate(habits))).row(0)
    return TextStyle(texts.height, *(float(share or 0.0) for share in shares))

"""How texts are written: with capitals, punctuation, digits."""

import re
from collections.abc import Sequence

from probes.facts.corpus.types import CorpusRow
from probes.facts.splits.duplicate_inputs import main_text
from probes.facts.text.types import TextStyle

PUNCTUATION = re.compile(r"[.,?!;:…。、？！]")


def style_of(rows: Sequence[CorpusRow]) -> TextStyle:
    texts = [text for row in rows if (text := main_text(row))]
    count = max(1, len(texts))
    return TextStyle(
        len(texts),
        capitals=sum(text != text.lower() for text in texts) / count,
        punctuation=sum(bool(PUNCTUATION.search(text)) for text in texts) / count,
        digits=sum(any(letter.isdigit() for letter in text) for text in texts) / count,
    )

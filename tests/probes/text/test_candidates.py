"""What the search over columns passes over, the close look finds nothing in."""

import random

import polars as pl
import pytest
from ftfy.badness import BADNESS_RE

from probes.facts.corpus.types import CorpusRow
from probes.facts.text.candidates import candidates
from probes.facts.text.mojibake import CODECS
from probes.facts.text.text_checks import read_texts

TEXTS = ("mẹ mua cá ở chợ, đường phố Hà Nội", "Crème brûlée, naïve façade", "съешь ещё этих булок", "ελληνικά γράμματα")
KINDS = (
    "abcxyz ABC",
    "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậ",
    "ÀÁÂÃÈÉÊÌÍ",
    "вђљœŒйцВГРС",
    "ΒΓΞΟβγα",
    "-–—…’“”«»°ºª",
    "\u0301\u0323",
    "￼ﬁｆ𝐚",
)
CHARACTERS = sorted({*"".join(KINDS), *(c for c in BADNESS_RE.pattern if ord(c) > 127), *"[]<>*&?\u200b\xa0\t♪"})


def something(text: str, column: str) -> bool:
    (read,) = read_texts([CorpusRow("row", texts={column: text})])
    return bool(read.markup or read.repaired or read.decomposed or read.invisible or read.homoglyph_words)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_passed_over(seed: int) -> None:
    chance = random.Random(seed)
    texts = ["".join(chance.choices(CHARACTERS, k=chance.randint(1, 6))) for _ in range(3000)]
    texts += ["ab" + "".join(chance.choices(CHARACTERS, k=2)) + "cd" for _ in range(3000)]
    for codec in CODECS:
        texts += [text.encode().decode(codec, "ignore") for text in TEXTS]
    picked = set(candidates(pl.Series("t", texts)).to_list())
    missed = [text for number, text in enumerate(texts) if number not in picked and something(text, "transcript")]
    assert missed == []


def test_plain_texts_of_many_languages_are_passed_over() -> None:
    plain = ["the train leaves at nine", "mẹ mua cá ở chợ và uống nước", "съешь ещё этих булок", "ελληνικά", "你好世界"]
    assert candidates(pl.Series("t", plain * 3)).to_list() == []

"""Types for texts: markup, encoding, style, speaking rate and unknown tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from probes.facts.corpus.types import CorpusRow


@dataclass(frozen=True)
class TextCheck:
    """One text of one row."""

    row: CorpusRow
    column: str
    markup: tuple[str, ...] = ()
    repaired: str = ""  # the text with its encoding repaired, as far as possible; empty where it is not broken
    decomposed: int = 0  # letters written as letter and mark apart, where one character has both
    invisible: tuple[str, ...] = ()  # names of characters that cannot be seen
    homoglyph_words: tuple[str, ...] = ()  # words with letters of two scripts that look alike
    same_ids: bool = False  # the tokenizer does not tell it from its composed form without invisible characters

    @property
    def place(self) -> str:
        return f"its {self.column}"


@dataclass(frozen=True)
class TextChecks:
    """The texts in which anything was found, at least; and how many were read."""

    rows: tuple[TextCheck, ...]
    total: int


@dataclass(frozen=True)
class UnknownTokenShares:
    """Shares of unknown tokens in the texts as they are, in lower and in upper case; letters that it does not know."""

    texts: int
    unknown: float
    lowered: float
    raised: float
    letters: int = 0  # of all texts
    strange: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # by script: unknown letters, how often
    where: str = "texts of training and evaluation"


@dataclass(frozen=True)
class SpeakingRate:
    """Letters and seconds of a row."""

    row: CorpusRow
    column: str
    letters: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.letters / self.seconds


@dataclass(frozen=True)
class SpeakingRates:
    """How many rows have a rate, their median, and the rows that are far from it."""

    count: int
    median: float
    rows: tuple[SpeakingRate, ...]


@dataclass(frozen=True)
class TextStyle:
    """How texts are written: shares of texts with capitals, with punctuation, with digits."""

    texts: int
    capitals: float
    punctuation: float
    digits: float

"""Types for the tokenizer, the tables of its ids, and the feature extractor."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SpecialTokens:
    """Ids of the special tokens, by who names them: `ends["generation_config"]` and so on."""

    ends: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    paddings: Mapping[str, int] = field(default_factory=dict)
    start: int | None = None
    encoder_decoder: bool = False
    is_ctc: bool = False  # the model's padding id is its blank, and the tokenizer drops its own
    unknown: int | None = None
    says_unknown: bool = False  # the tokenizer uses its unknown token; byte-level ones never do
    names: Mapping[str, int | None] = field(default_factory=dict)  # all special tokens of the tokenizer, by name
    roles: Mapping[str, int] = field(default_factory=dict)  # pad, eos: what else they are for


@dataclass(frozen=True)
class RoundTrip:
    """A text, encoded and decoded. `lost`: spaces, case, accents or letters; empty where it came back."""

    where: str
    text: str
    back: str
    lost: str = ""
    unknown: bool = False


@dataclass(frozen=True)
class ExtractorMatch:
    """A value of the feature extractor, compared with the model's."""

    extractor: str
    model: str
    value: int
    expected: int


@dataclass(frozen=True)
class WeightTies:
    """Parameters under several names, and which of them should not be tied."""

    shared: tuple[tuple[str, ...], ...] = ()
    untied: tuple[str, ...] = ()  # names that must not share, and do
    against_flag: bool = False  # tie_word_embeddings is off, and head and embedding are one tensor
    family: str = ""  # a released family whose heads are their own, where this one is not
    head: str = ""
    embedding: str = ""


@dataclass(frozen=True)
class InputIdRange:
    """The largest id that the model is given to read, and where."""

    where: str
    largest: int
    rows: int
    table: str


@dataclass(frozen=True)
class RenumberedIds:
    """The loss of weights that were trained, with the tokenizer's ids and with ids dealt out to other tokens."""

    own: float
    renumbered: float  # the mean over several ways
    deviation: float  # of these
    vocabulary: int


@dataclass(frozen=True)
class StoredVocabulary:
    """The tokenizer in the directory that the weights were read from, compared with the run's."""

    directory: str
    tokens: int
    same: int  # tokens with the same id in both
    example: tuple[str, int, int | None] | None = None  # a token, its id there, its id in the run's tokenizer

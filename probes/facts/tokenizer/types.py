"""Of the tokenizer, of the tables that its ids are looked up in, and of the feature extractor beside the model."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SpecialTokens:
    """Ids of the special tokens, by who names them: `ends["generation_config"]` and so on."""

    ends: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    paddings: Mapping[str, int] = field(default_factory=dict)
    start: int | None = None
    encoder_decoder: bool = False
    unknown: int | None = None
    says_unknown: bool = False  # the tokenizer was seen to use its unknown token; byte-level ones never do
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
    """One figure of the feature extractor beside the model's."""

    extractor: str
    model: str
    value: int
    expected: int


@dataclass(frozen=True)
class WeightTies:
    """Parameters under several names, and what was said about them."""

    shared: tuple[tuple[str, ...], ...] = ()
    untied: tuple[str, ...] = ()  # names that must not share, and do
    against_flag: bool = False  # the configuration says untied, and head and embedding are one tensor
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

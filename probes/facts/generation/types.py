"""Of what a model says when nobody gives it the answer, and of what it would say if it knew the labels."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from probes.facts.core.types import Failure, SpecialIds
from probes.facts.labels.types import LabelRow


@dataclass(frozen=True)
class GenerationRows:
    """The rows of the first batch that are generated for, and what is known of them."""

    indices: tuple[int, ...]  # in the batch
    batch_size: int
    rows: tuple[LabelRow, ...]
    special: SpecialIds
    no_text: frozenset[int]  # ids of special tokens
    pass_seconds: float  # of one forward and backward pass
    classes: int


@dataclass(frozen=True)
class GeneratedRow:
    """One row: what was said, beside its labels. `ids` begin behind the start token, prompt included."""

    where: str
    ids: tuple[int, ...]
    labels: tuple[int, ...]  # without -100
    text: str | None = None  # by the run's own decode, of what its own generate returned
    reference: str | None = None  # the labels by the same decode
    ended: bool | None = None  # the end token was said


@dataclass(frozen=True)
class FreeGeneration:
    """What the model says to two rows by itself, twice, in evaluation mode under two seeds."""

    rows: tuple[GeneratedRow, ...]
    again: tuple[tuple[int, ...], ...] = ()
    limit: int = 0  # tokens after which it was stopped
    cut: bool = False  # it was stopped
    sampling: str = ""  # the setting that asks for sampling
    special: frozenset[int] = frozenset()  # ids that are no text
    names: Mapping[int, str] = field(default_factory=dict)
    failure: Failure | None = None


@dataclass(frozen=True)
class TeacherForcingGap:
    """How much of the labels the model gets right with the labels before given, and how much by itself."""

    forced: float  # share of the labels that it puts first
    free: float  # likeness of what it said to the labels, 1 is the same
    rows: int = 2
    example: tuple[str, str] = ("", "")  # said, and the labels


@dataclass(frozen=True)
class ForbiddenLabel:
    """A label that generation is not allowed to say at its place."""

    where: str
    token: int
    name: str
    position: int
    rule: str  # the class that forbids it
    setting: str  # the generation setting behind that class
    rows: int  # how many rows meet this rule
    of: int


@dataclass(frozen=True)
class GenerationPrompt:
    """What generation begins a row with, the start token first, beside what the labels begin with."""

    where: str
    ids: tuple[int, ...]
    labels: tuple[int, ...]
    names: tuple[str, ...] = ()  # of `ids`
    expected: tuple[str, ...] = ()  # names of the labels at these places
    detected: tuple[int, ...] = ()  # places that the model chose itself, as Whisper detects a language

    @property
    def wrong(self) -> int | None:
        """The first place of the prompt, the start token aside, where the labels have another token."""
        pairs = enumerate(zip(self.ids[1:], self.labels, strict=False))
        return next((place for place, (one, other) in pairs if one != other and place not in self.detected), None)


@dataclass(frozen=True)
class ForcedGeneration:
    """The run's own generation with a model made to say the labels: what comes out must be the labels."""

    rows: tuple[GeneratedRow, ...]
    prompts: tuple[GenerationPrompt, ...] = ()
    forbidden: tuple[ForbiddenLabel, ...] = ()
    went_on: bool = False  # every row had said its end, and generation did not stop
    stopped: int | None = None  # tokens after which it stopped by itself
    needed: int = 0  # tokens of the longest row
    end: int | None = None
    waits_for: tuple[int, ...] = ()  # end tokens by generation's own word


@dataclass(frozen=True)
class EvaluationPair:
    """The run's own evaluation, twice from the same weights under two seeds, in training mode when it began."""

    figures: Mapping[str, float]
    again: Mapping[str, float]
    training: tuple[str, ...] = ()  # modules with another output in training that ran in training mode
    kinds: tuple[str, ...] = ()
    failure: Failure | None = None


@dataclass(frozen=True)
class SeedRepeats:
    """The same asked twice under two seeds, in evaluation mode."""

    output: FreeGeneration | None = None
    evaluated: EvaluationPair | None = None


@dataclass(frozen=True)
class GatheredLogits:
    """What an evaluation without generation keeps of the whole evaluation set."""

    rows: int
    length: int
    vocabulary: int
    width: int  # bytes of one score
    memory: int  # bytes this machine has

    @property
    def bytes(self) -> int:
        return self.rows * self.length * self.vocabulary * self.width

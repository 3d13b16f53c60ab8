"""Types for generation: free-running, forced to output the labels, and in the evaluation of the run."""

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
    """One row: the generated ids and the labels. `ids` begin after the start token, prompt included."""

    where: str
    ids: tuple[int, ...]
    labels: tuple[int, ...]  # without -100
    text: str | None = None  # by the run's own decode, of what its own generate returned
    reference: str | None = None  # the labels by the same decode
    ended: bool | None = None  # the EOS token was generated


@dataclass(frozen=True)
class FreeGeneration:
    """Free-running output for two rows, twice, in eval mode under two seeds."""

    rows: tuple[GeneratedRow, ...]
    second: tuple[tuple[int, ...], ...] = ()
    limit: int = 0  # tokens after which it was stopped
    cut: bool = False  # it was stopped
    sampling: str = ""  # the setting that turns sampling on
    special: frozenset[int] = frozenset()  # ids that are no text
    names: Mapping[int, str] = field(default_factory=dict)
    failure: Failure | None = None


@dataclass(frozen=True)
class TeacherForcingGap:
    """How many labels the model predicts under teacher forcing, and how many in free running."""

    forced: float  # share of the labels that it puts first
    free: float  # similarity of the free-running output to the labels, 1 is the same
    rows: int = 2
    example: tuple[str, str] = ("", "")  # output and labels


@dataclass(frozen=True)
class ForbiddenLabel:
    """A label that generation is not allowed to output at its position."""

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
    """The prompt of generation for a row, the start token first, and what the labels begin with."""

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
    """The run's own generation forced to output the labels: the result must be the labels."""

    rows: tuple[GeneratedRow, ...]
    prompts: tuple[GenerationPrompt, ...] = ()
    forbidden: tuple[ForbiddenLabel, ...] = ()
    went_on: bool = False  # every row had its EOS token, and generation did not stop
    stopped: int | None = None  # tokens after which it stopped by itself
    needed: int = 0  # tokens of the longest row
    end: int | None = None
    waits_for: tuple[int, ...] = ()  # EOS ids of the generation config

    @property
    def ended_early(self) -> bool:
        """Whether it stopped by itself before the longest row's end."""
        return self.stopped is not None and self.stopped < self.needed


@dataclass(frozen=True)
class EvaluationPair:
    """The run's own evaluation, twice from the same weights under two seeds, in training mode when it began."""

    figures: Mapping[str, float]
    second: Mapping[str, float]
    training: tuple[str, ...] = ()  # modules with another output in training that ran in training mode
    kinds: tuple[str, ...] = ()
    failure: Failure | None = None
    dropout: tuple[str, ...] = ()  # modules in evaluation mode that called dropout all the same


@dataclass(frozen=True)
class SeedRepeats:
    """Generation and evaluation, each twice under two seeds, in eval mode."""

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

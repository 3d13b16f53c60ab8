"""Facts that several topics share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any


@dataclass(frozen=True)
class Failure:
    """An error raised by the user's code: where, with which inputs, and its message."""

    phase: str  # drawing, forward pass, loss function, backward pass, update
    error: str
    message: str
    module: str = ""  # the innermost of the model's modules that was running
    kind: str = ""  # that module's class
    shapes: str = ""  # of its inputs
    line: str = ""  # file:line of the user's code nearest to the error
    trace: str = ""

    def __str__(self) -> str:
        place = f" in {self.module} ({self.kind})" if self.module else ""
        given = f", given {self.shapes}" if self.shapes else ""
        return f"the {self.phase} raised {self.error}{place}{given}: {self.message}"


@dataclass(frozen=True)
class LogitStats:
    """Statistics of the logits of the forward pass."""

    shape: tuple[int, ...]
    minimum: float
    maximum: float
    mean: float
    std: float
    lowest_sum: float  # over the classes: both 1 for probabilities
    highest_sum: float
    nan: int = 0
    infinite: int = 0


@dataclass(frozen=True)
class FirstLoss:
    """The loss of the first step, and what it would have to be."""

    value: float
    parts: Mapping[str, float] = field(default_factory=dict)  # further losses that the output names
    scored_tokens: int | None = None  # labels that are not -100
    scored_positions: int | None = None  # positions whose logits get a gradient: what the loss really scores
    vocabulary: int | None = None
    cross_entropy: float | None = None  # plain, of these logits and labels, mean over the scored tokens
    logits: LogitStats | None = None
    dtype: str = "float32"

    def summary(self) -> dict[str, Any]:
        """`uniform`: the loss of a model that gives every class the same probability."""
        uniform = log(self.vocabulary) if self.vocabulary and self.vocabulary > 1 else None
        names = ("value", "vocabulary", "cross_entropy", "scored_tokens", "dtype")
        return {**{name: getattr(self, name) for name in names}, "uniform": uniform, "parts": dict(self.parts)}


@dataclass(frozen=True)
class DrawnBatches:
    """Some batches of the training set; what drawing them consumed, and what it raised."""

    batches: tuple[Any, ...]
    consumed: str = ""
    failure: Failure | None = None
    seconds: float = 0.0
    indices: tuple[tuple[int, ...], ...] = ()  # the dataset's rows in each batch, where a sampler names them
    once: bool = False  # train_batches is an iterator, which a run through it uses up


@dataclass(frozen=True)
class SpecialIds:
    """The ids that pad labels and the one that ends them, as tokenizer and model name them."""

    padding: tuple[int, ...] = ()
    end: int | None = None
    vocabulary: int | None = None
    ends: tuple[int, ...] = ()  # all EOS ids of tokenizer, model and generation config
    start: int | None = None  # what the model puts before the labels for its decoder


@dataclass(frozen=True)
class TensorSummary:
    """A tensor in numbers. The range is that of its finite elements; None where there is none."""

    role: str  # input, output, weight, batch
    shape: tuple[int, ...]
    dtype: str
    device: str
    minimum: float | None
    maximum: float | None
    nan: float = 0.0  # shares
    infinite: float = 0.0

    def __str__(self) -> str:
        span = "no finite value" if self.minimum is None else f"{self.minimum:.4g} to {self.maximum:.4g}"
        bad = [f"{_percent(share)} {name}" for name, share in (("NaN", self.nan), ("Inf", self.infinite)) if share]
        return f"{self.role} {list(self.shape)} {self.dtype} on {self.device}, {', '.join([span, *bad])}"


@dataclass(frozen=True)
class TokenTable:
    """A matrix with one row for each id."""

    name: str
    rows: int


@dataclass(frozen=True)
class TokenTables:
    """The embedding that the decoder reads labels with, the one for inputs, and the head that scores them."""

    embedding: TokenTable | None = None
    inputs: TokenTable | None = None
    head: TokenTable | None = None
    tied: bool | None = None  # head and embedding are one tensor; None: there are no two to compare
    flag: bool | None = None  # tie_word_embeddings of the configuration
    positions: int | None = None  # the longest labels that the decoder has places for
    positions_from: str = ""  # the setting that limits them


def _percent(share: float) -> str:
    return "under 0.1%" if share < 0.0005 else f"{share:.1%}"

"""Types for the loss: of perturbed batches, of accumulated steps, of the longest and shortest rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from probes.facts.core.types import Failure


@dataclass(frozen=True)
class LossCall:
    """A call of a loss function: its logits and its target."""

    function: str
    classes: int = 0
    lowest: float = 0.0
    highest: float = 0.0
    sum_error: float = float("inf")  # how far the sums over the classes are from 1, at worst: 0 for probabilities
    log_sum_error: float = float("inf")  # how far their logsumexp is from 0: 0 for log-probabilities
    shapes: tuple[tuple[int, ...], ...] = ()  # of scores and target
    spread: tuple[int, ...] = ()  # what broadcasting made of the two, where both had to grow
    regresses: bool = False  # the scores are compared with the labels themselves


@dataclass(frozen=True)
class HeadBound:
    """The head's own values with its weights made much larger, and what of them arrives at the loss."""

    module: str
    kind: str
    raw: tuple[float, float]
    scores: tuple[float, float]
    regresses: bool = False  # what arrives is compared with the labels themselves
    unreachable: float = 0.0  # then, the share of the labels that lie outside of what arrives


@dataclass(frozen=True)
class LossTrials:
    """The loss of a few rows of the first batch in evaluation mode, and of the same rows changed in one respect."""

    rows: int
    value: float
    parts: Mapping[str, float] = field(default_factory=dict)  # further losses that the output names
    tokens: int | None = None  # scored labels in these rows
    positions: int | None = None  # with those that are not scored
    classes: int = 0
    cross_entropy: float | None = None  # cross-entropy of these scores and labels, mean over the scored ones
    scale: float | None = None  # of the loss's gradient on the logits, relative to that of cross-entropy
    cosine: float | None = None  # between the two
    ctc_slope: float | None = None  # of the loss over the CTC losses in it
    loss_doubled: float | None = None  # the loss with every row there twice, in another order
    parts_twice: Mapping[str, float] = field(default_factory=dict)
    in_order: tuple[float, float, float] | None = None  # rows as they are, once more, and in another order
    logit_change: float | None = None  # change of the scores when rows exchange inputs, in units of their spread
    loss_change: float | None = None  # likewise, of the loss
    signal_lost_in: str = ""  # the module whose inputs differ and whose outputs do not; "" where the logits change
    other_labels: float | None = None  # the loss when every label of the first row is another one
    makes_own_targets: bool = False  # the labels are never read, and the targets are inputs or places in the batch
    target_agreement: float | None = None  # share of scored labels whose class the loss makes more likely there
    loss_calls: tuple[LossCall, ...] = ()
    bound: HeadBound | None = None
    eps: float = 1e-7  # the finest relative difference that the numbers' type can tell

    @property
    def growth(self) -> float | None:
        """1 for a mean over the rows, 2 for a sum."""
        return None if self.loss_doubled is None or not self.value else self.loss_doubled / self.value


@dataclass(frozen=True)
class AccumulationError:
    """The gradient of one accumulated step against that of the same rows in one batch."""

    batches: int
    error: float  # relative, of the whole gradient
    ratio: float  # of its part along the other
    cosine: float
    means_error: float | None = None  # against the mean of the batches' own gradients; None: not needed
    means_ratio: float | None = None
    means_cosine: float | None = None
    last_cosine: float | None = None  # against the last batch alone
    half_ratio: float | None = None  # `means_ratio` with half as many batches
    updates: int = 0  # how often the optimiser was stepped; 0 where it is not known
    configured: int | None = None  # gradient_accumulation_steps; None: not known


@dataclass(frozen=True)
class ExtremeBatchResult:
    """One batch of rows of extreme length, run forwards and backwards in training mode."""

    kind: str  # longest rows, shortest rows, one short row with a long one
    rows: tuple[str, ...]
    shape: tuple[int, ...]
    loss: float | None = None
    failure: Failure | None = None
    bad_gradients: tuple[str, ...] = ()  # parameters whose gradient is not finite
    weights: bool = False  # these are the parameters that are not finite themselves, after a user's own step

    @property
    def fails(self) -> bool:
        return self.failure is not None or self.loss is None or self.loss - self.loss != 0 or bool(self.bad_gradients)


@dataclass(frozen=True)
class FramesUsed:
    """The frames that an encoder outputs for a row without padding, and how many of them are used."""

    module: str
    reader: str  # the decoder's scores, or the CTC loss
    frames: int
    used: int
    where: str


@dataclass(frozen=True)
class ExtremeBatches:
    batches: tuple[ExtremeBatchResult, ...]
    frames: tuple[FramesUsed, ...] = ()

"""Types for overfitting one batch."""

import math
from dataclasses import dataclass
from typing import Any

from probes.facts.loss.types import LossCall
from probes.facts.overfit.detail_types import CtcState, IdleModule, NonfiniteGradient, OverfitVariant, TrainModeResult

# Keys of the figure in a report, with the field each one shows.
FIGURE = {name: name for name in ("verdict", "where", "rows", "updates", "seconds", "curve", "accuracy")} | {
    "books": "cross_entropies",
    "uniform": "uniform",
    "unigram": "unigram",
    "blind": "prefix_entropy",
    "swapped": "swapped",
    "swapped_book": "swapped_cross_entropy",
    "final": "final",
    "book": "cross_entropy",
}


@dataclass(frozen=True)
class OverfitResult:
    """A few rows overfit with dropout off; `cross_entropy` is in nats per label, whatever the run's own loss is."""

    where: str
    rows: int
    curve: tuple[float, ...]  # the user's loss before each update
    seconds: float
    ended: str  # learnt, stuck, still falling, not finite, rows and labels drawn anew
    rate: float
    cross_entropies: tuple[float, ...] = ()  # cross-entropy for each label, likewise
    first: float = 0.0
    final: float = 0.0
    swapped: float | None = None  # the loss when the rows exchange their inputs
    loss_fell: bool = False  # by far more than noise
    uses_input: bool | None = None  # exchanged inputs raise the loss; None: not tried
    tokens: int = 0
    classes: int = 0
    accuracy: float | None = None
    cross_entropy: float | None = None
    swapped_accuracy: float | None = None
    swapped_cross_entropy: float | None = None
    unigram: float | None = None
    prefix_entropy: float | None = None
    reads_labels: bool = False  # a language model: its input is what it has to say next
    optimized_tensors: int = 0  # trainable tensors that the optimiser holds
    trainable: int = 0
    ignores_inputs: bool = False  # no score moves with other inputs
    is_random: bool = False  # the loss changes with the random numbers; the same ones were drawn in every pass
    nonfinite: NonfiniteGradient | None = None
    by_own_step: bool = False  # updates of the user's own step: `optimized_tensors` are those that moved
    idle: tuple[IdleModule, ...] = ()
    frozen: tuple[IdleModule, ...] = ()
    unfrozen_trial: OverfitVariant | None = None
    scores: tuple[float, float] | None = None  # lowest and highest that reach the loss
    loss_call: LossCall | None = None  # the last call of the loss function
    bound: float | None = None  # the least that scores in this range allow, for each label
    target_agreement: float | None = None  # share of the loss's targets that are the labels
    has_own_targets: bool = False  # the targets of the loss do not change with the labels
    relabelled: int = 0  # updates at which the targets differ from those of the first
    ctc: CtcState | None = None
    training: TrainModeResult | None = None
    generated: tuple[tuple[str, str], ...] = ()  # what the model generates then, and the reference
    notes: tuple[str, ...] = ()

    @property
    def updates(self) -> int:
        return len(self.curve)

    @property
    def uniform(self) -> float | None:
        return math.log(self.classes) if self.classes > 1 else None

    @property
    def learnt(self) -> bool:
        return self.ended == "learnt"

    @property
    def has_verdict(self) -> bool:
        """Whether anything can be said: it has learnt, or it has stopped short of it."""
        return self.ended in ("learnt", "stuck")

    @property
    def most_trains(self) -> bool:
        """Freezing is the exception here; where most is frozen, as around adapters, it is what was meant."""
        return self.trainable > sum(part.tensors for part in self.frozen)

    @property
    def generated_correctly(self) -> int:
        return sum(text == reference for text, reference in self.generated)

    @property
    def verdict(self) -> str:
        if not self.has_verdict:
            learns = self.ended == "still falling" and self.loss_fell
            return "learns, and has not finished" if learns else "cannot be said"
        if self.learnt and self.uses_input is not False:
            return "learns from its input" if self.uses_input else "learns"
        return "learns only the label frequencies" if self.loss_fell and self.uses_input is False else "does not learn"

    def figure(self) -> dict[str, Any]:
        """For the report: the curve and its floors."""
        return {key: getattr(self, field) for key, field in FIGURE.items()}

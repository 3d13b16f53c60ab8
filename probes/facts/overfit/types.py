"""Types for overfitting one batch."""

import math
from dataclasses import dataclass
from typing import Any

from probes.facts.overfit.detail_types import CtcState, IdleModule, OverfitVariant

# They decide which further attempts are made (other rates, unfrozen modules, train mode) as well as what probes and
# report say, so they stand with the result.
TENTH, NAT = 0.1, 1.0  # of the loss: a fall by a tenth of it, or by a nat, is no noise
QUARTER = 0.25  # of `prefix_entropy`, which is what a model pays that cannot tell the rows apart
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
class TrainModeResult:
    """The learnt rows in training mode, dropout and batch norm at work, after further updates in that mode."""

    loss: float
    cross_entropy: float | None
    updates: int
    exchanged: float | None = None  # `book` with the inputs exchanged and the same draws
    steady: bool = False  # worse in every draw
    guilty: str = ""  # the module without which it learns
    kind: str = ""
    failure: str = ""


@dataclass(frozen=True)
class OverfitResult:
    """A few rows overfit with dropout off; `cross_entropy` is in nats per label, whatever the run's own loss is."""

    where: str
    rows: int
    curve: tuple[float, ...]  # the user's loss before each update
    seconds: float
    ended: str  # learnt, stuck, still falling, out of time, rows and labels drawn anew
    rate: float
    cross_entropies: tuple[float, ...] = ()  # cross-entropy for each label, likewise
    first: float = 0.0
    final: float = 0.0
    swapped: float | None = None  # the loss when the rows exchange their inputs
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
    idle: tuple[IdleModule, ...] = ()
    frozen: tuple[IdleModule, ...] = ()
    unfrozen_trial: OverfitVariant | None = None
    scores: tuple[float, float] | None = None  # lowest and highest that reach the loss
    probabilities: bool = False
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
    def generated_correctly(self) -> int:
        return sum(text == reference for text, reference in self.generated)

    @property
    def loss_fell(self) -> bool:
        """By a tenth of the loss before, or by a nat."""
        before, after = (
            (self.cross_entropies[0], self.cross_entropy)
            if self.cross_entropies and self.cross_entropy is not None
            else (self.first, self.final)
        )
        return before - after > min(TENTH * abs(before), NAT)

    @property
    def uses_input(self) -> bool | None:
        """Swapped inputs raise the loss, by a quarter of `prefix_entropy` where that is known. None: not tried."""
        if self.swapped is None:
            return None
        if self.cross_entropy is not None and self.swapped_cross_entropy is not None and self.prefix_entropy:
            return self.swapped_cross_entropy - self.cross_entropy > QUARTER * self.prefix_entropy
        return self.swapped - self.final > TENTH * abs(self.first - self.final) > 0

    @property
    def verdict(self) -> str:
        if not self.has_verdict:
            return "cannot be said"
        if self.learnt and self.uses_input is not False:
            return "learns from its input"
        return "learns only the labels' statistics" if self.loss_fell and self.uses_input is False else "does not learn"

    def figure(self) -> dict[str, Any]:
        """For the report: the curve and its floors."""
        return {key: getattr(self, field) for key, field in FIGURE.items()}


def better(trial: TrainModeResult, run: OverfitResult) -> bool:
    """In train mode swapped inputs cost a quarter of `prefix_entropy`; and it is below the entropy of the labels, or
    they cost all of `prefix_entropy` and a tenth of itself, in every draw."""
    if trial.cross_entropy is None or not run.unigram:
        return trial.loss < run.first
    if trial.exchanged is None or not run.prefix_entropy:
        return trial.cross_entropy < run.unigram
    worse = trial.exchanged - trial.cross_entropy
    strong = trial.steady and worse > max(run.prefix_entropy, TENTH * trial.cross_entropy)
    return worse > QUARTER * run.prefix_entropy and (trial.cross_entropy < run.unigram or strong)

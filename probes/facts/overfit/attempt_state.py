"""What a model that learns a few rows says to them: with their inputs, with others, again at the same weights."""

from typing import Any

import torch

from probes.facts.core.batch_rows import with_inputs_exchanged
from probes.facts.core.entropy import unigram_entropy
from probes.facts.overfit.ctc_calls import state_of
from probes.facts.overfit.entropy_floors import prefix_entropy
from probes.facts.overfit.loss_targets import LossTargetReader, PassTotals, targets_of
from probes.facts.overfit.rate_control import RateControl
from probes.facts.overfit.stepper import OverfitSetup, Stepper, first_rate
from probes.facts.overfit.target_checks import LABELS, ROWS, Pass, labels_redrawn
from probes.facts.overfit.types import CtcState

MOST = 120  # updates: twice what a healthy model may need
AGAIN = 12  # passes at the same weights: two labels that change places at random stay in all of them once in 2,048
MIXED = "rows and their labels are drawn anew together"


class AttemptState:
    """Passes over one lesson, and what is known of it so far."""

    def __init__(self, subject: OverfitSetup, eyes: LossTargetReader, most: int = MOST) -> None:
        self.subject, self.eyes, self.most = subject, eyes, most
        self.stepper = Stepper(subject)
        self.pace = RateControl(first_rate(subject.groups))
        self.curve: list[float] = []
        self.books: list[float] = []
        self.first = self.seen = PassTotals()
        self.wanted: list[torch.Tensor | None] = []
        self.reached: set[int] = set()  # ids of the weights that got a gradient other than nought
        self.labels = [subject.labels_of(batch) for batch in subject.lesson.batches]
        self.changes = 0  # updates at which the loss asked for other labels than at first
        self.ended = ""
        self.prolonged = False
        self.swapped: tuple[float, PassTotals] | None = None
        self._floors: list[float] = []

    def look(self) -> float:
        """One pass: the loss, what is asked for and what is said, and which weights it reaches."""
        self.seen = PassTotals()
        asked: list[torch.Tensor | None] = []

        def after() -> None:
            asked.append(self.eyes.asked(self.labels[len(asked)]))
            self.changes += self.eyes.asks_otherwise(self.wanted[len(asked) - 1] if self.curve else None)
            self.eyes.compare(self.seen, self.wanted[len(asked) - 1] if self.curve else asked[-1])

        self.eyes.clear()
        loss = self.stepper.gradient(after)
        if not self.curve:
            self.first, self.wanted = self.seen, asked
        self.changes += any(not torch.equal(*pair) for pair in targets_of(self.first, self.seen))
        if self.seen.book is not None:
            self.books.append(self.seen.book)
        if len(self.curve) < 3 or not len(self.curve) % 10:
            pairs = [(weight, weight.grad) for weight in self.subject.model.parameters()]
            self.reached |= {id(weight) for weight, grad in pairs if grad is not None and bool(grad.any())}
        return loss

    def draws_anew(self) -> str:
        """How a run ends whose labels change, on their own or with their rows: seen in passes at the same weights.

        As weights change, soft targets ask for other classes too. Empty where all stays as it is, or was asked before.
        """
        if self.changes < 0:
            return ""
        passes: list[Pass] = []
        found = ""
        while found != LABELS and len(passes) < AGAIN * len(self.wanted):
            self.stepper.gradient(lambda: passes.append((self.eyes.asked(None), self.eyes.scores)))
            found = labels_redrawn(passes, len(self.wanted))
        self.eyes.clear()
        if any(not torch.equal(*pair) for pair in targets_of(self.first, self.seen)):
            found = LABELS
        self.changes = max(self.changes, 1) if found == LABELS else -MOST
        return {LABELS: "stuck", ROWS: MIXED}.get(found, "")

    @property
    def blind(self) -> float | None:
        return prefix_entropy(self.first.asked)

    @property
    def unigram(self) -> float | None:
        return unigram_entropy(self.first.asked)

    def aligns(self, share: float) -> bool:
        """Every CTC loss is below this share of what one answer for all frames can reach."""
        self._floors = self._floors or [call.floor() for call in self.first.ctc]
        return all(call.loss() < share * floor for call, floor in zip(self.seen.ctc, self._floors, strict=True))

    @property
    def ctc(self) -> CtcState | None:
        """The first of them, at the end."""
        if not self.seen.ctc or len(self.seen.ctc) != len(self.first.ctc):
            return None
        self.aligns(1.0)
        return state_of(self.first.ctc[0], self.seen.ctc[0], self._floors[0], len(self.curve))

    def swap(self) -> None:
        """The loss with the inputs exchanged between the rows, all else as it is."""
        batches = [with_inputs_exchanged(batch, self.subject.inputs_of) for batch in self.subject.lesson.batches]
        if any(batch is None for batch in batches):
            return
        total, seen = 0.0, PassTotals()
        for batch, wanted in zip(batches, self.wanted, strict=True):
            total += self.stepper.loss([batch]) / len(batches)
            self.eyes.compare(seen, wanted)
        self.swapped = total, seen

    def stays(self, share: float) -> bool:
        """No score moves by more than this share of their spread: what rows lose and gain may cancel out."""
        for batch in self.subject.lesson.batches:
            own, other = (self._scores(some) for some in (batch, with_inputs_exchanged(batch, self.subject.inputs_of)))
            if own is None or other is None or own.shape != other.shape:
                continue
            if float((own - other).abs().max()) > share * float(own.std(correction=0)):
                return False
        return True

    def _scores(self, batch: Any) -> torch.Tensor | None:
        self.stepper.loss([batch])
        scores = self.eyes.scores
        self.eyes.clear()
        return None if scores is None else scores.detach().float()

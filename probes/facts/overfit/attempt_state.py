"""Passes over the rows to overfit: with their own inputs, with swapped inputs, and again at the same weights."""

from typing import Any

import torch

from probes.facts.core.batch_changes import with_inputs_exchanged
from probes.facts.core.numbers import unigram_entropy
from probes.facts.overfit.ctc_calls import ctc_loss_of, floor_of, state_of
from probes.facts.overfit.detail_types import CtcState
from probes.facts.overfit.entropy_floors import prefix_entropy
from probes.facts.overfit.loss_targets import LossTargetReader, PassTotals, ctc_targets
from probes.facts.overfit.rate_control import RateControl
from probes.facts.overfit.stepper import OverfitSetup, Stepper, first_rate
from probes.facts.overfit.target_checks import LABELS, ROWS, Pass, labels_redrawn

MOST = 120  # updates: twice what a healthy model may need
AGAIN = 12  # passes at the same weights: two labels that change places at random stay in all of them once in 2,048
MIXED = "rows and their labels are drawn anew together"


class AttemptState:
    """Passes over the selected rows, and what is known so far."""

    def __init__(self, subject: OverfitSetup, reader: LossTargetReader, max_updates: int = MOST) -> None:
        self.subject, self.reader, self.max_updates = subject, reader, max_updates
        self.stepper = Stepper(subject)
        self.rate_control = RateControl(first_rate(subject.groups))
        self.curve: list[float] = []
        self.cross_entropies: list[float] = []
        self.first = self.totals = PassTotals()
        self.targets: list[torch.Tensor | None] = []
        self.reached: set[int] = set()  # ids of the weights that got a nonzero gradient
        self.labels = [subject.labels_of(batch) for batch in subject.selection.batches]
        self.changes = 0  # updates at which the loss had other targets than at first
        self.ended = ""
        self.prolonged = False
        self.swapped: tuple[float, PassTotals] | None = None
        self._floors: list[float] = []

    def run_pass(self) -> float:
        """One pass: the loss, its targets, what is predicted, and which weights get a gradient."""
        self.totals = PassTotals()
        targets: list[torch.Tensor | None] = []

        def after() -> None:
            targets.append(self.reader.read_targets(self.labels[len(targets)]))
            self.changes += self.reader.targets_changed(self.targets[len(targets) - 1] if self.curve else None)
            self.reader.compare(self.totals, self.targets[len(targets) - 1] if self.curve else targets[-1])

        self.reader.clear()
        loss = self.stepper.gradient(after)
        if not self.curve:
            self.first, self.targets = self.totals, targets
        self.changes += any(not torch.equal(*pair) for pair in ctc_targets(self.first, self.totals))
        if self.totals.cross_entropy is not None:
            self.cross_entropies.append(self.totals.cross_entropy)
        if len(self.curve) < 3 or not len(self.curve) % 10:
            pairs = [(weight, weight.grad) for weight in self.subject.model.parameters()]
            self.reached |= {id(weight) for weight, grad in pairs if grad is not None and bool(grad.any())}
        return loss

    def find_redrawn_labels(self) -> str:
        """How a run ends whose labels change, alone or with their rows, in passes at the same weights; "" otherwise.

        Once only. The weights stay, since soft targets change with them.
        """
        if self.changes < 0:
            return ""
        passes: list[Pass] = []
        found = ""
        while found != LABELS and len(passes) < AGAIN * len(self.targets):
            self.stepper.gradient(lambda: passes.append((self.reader.read_targets(None), self.reader.logits)))
            found = labels_redrawn(passes, len(self.targets))
        self.reader.clear()
        if any(not torch.equal(*pair) for pair in ctc_targets(self.first, self.totals)):
            found = LABELS
        self.changes = max(self.changes, 1) if found == LABELS else -MOST
        return {LABELS: "stuck", ROWS: MIXED}.get(found, "")

    @property
    def prefix_entropy(self) -> float | None:
        return prefix_entropy(self.first.targets)

    @property
    def unigram(self) -> float | None:
        return unigram_entropy(self.first.targets)

    def aligns(self, share: float) -> bool:
        """Whether every CTC loss is below this share of what one answer for all frames can reach."""
        self._floors = self._floors or [floor_of(call) for call in self.first.ctc]
        return all(ctc_loss_of(call) < share * floor for call, floor in zip(self.totals.ctc, self._floors, strict=True))

    @property
    def ctc(self) -> CtcState | None:
        """The first of them, at the end."""
        if not self.totals.ctc or len(self.totals.ctc) != len(self.first.ctc):
            return None
        self.aligns(1.0)
        return state_of(self.first.ctc[0], self.totals.ctc[0], self._floors[0], len(self.curve))

    def evaluate_swapped(self) -> None:
        """The loss with the inputs exchanged between the rows, all else as it is."""
        batches = [with_inputs_exchanged(batch, self.subject.inputs_of) for batch in self.subject.selection.batches]
        if any(batch is None for batch in batches):
            return
        total, totals = 0.0, PassTotals()
        for batch, targets in zip(batches, self.targets, strict=True):
            total += self.stepper.loss([batch]) / len(batches)
            self.reader.compare(totals, targets)
        self.swapped = total, totals

    def ignores_inputs(self, share: float) -> bool:
        """Whether no score moves by more than this share of their spread: losses of rows may cancel out."""
        for batch in self.subject.selection.batches:
            own, other = (self._scores(some) for some in (batch, with_inputs_exchanged(batch, self.subject.inputs_of)))
            if own is None or other is None or own.shape != other.shape:
                continue
            if float((own - other).abs().max()) > share * float(own.std(correction=0)):
                return False
        return True

    def _scores(self, batch: Any) -> torch.Tensor | None:
        self.stepper.loss([batch])
        scores = self.reader.logits
        self.reader.clear()
        return None if scores is None else scores.detach().float()

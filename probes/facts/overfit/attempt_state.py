"""Passes over the rows to overfit: at each update, and again at the same weights with other random numbers."""

import torch

from probes.facts.core.finite import is_finite
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.model_parts import trainable
from probes.facts.core.numbers import unigram_entropy
from probes.facts.core.optimizers import RateControl
from probes.facts.overfit.detail_types import CtcState, NonfiniteGradient
from probes.facts.overfit.entropy_floors import ctc_loss_of, floor_of, prefix_entropy, state_of
from probes.facts.overfit.loss_targets import LossTargetReader, PassTotals, ctc_targets
from probes.facts.overfit.stepper import OverfitSetup, Stepper, first_rate
from probes.facts.overfit.target_checks import LABELS, ROWS, Pass, labels_redrawn

MOST = 120  # updates: twice what a healthy model may need
RANDOM = 1e-6  # of the loss: two passes that draw other random numbers, and differ by more than rounding
PASSES = 12  # passes at the same weights: two labels that change places at random stay in all of them once in 2,048
MIXED = "rows and their labels are drawn again together"


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
        self.labels = [labels_or_none(subject.labels_of, batch) for batch in subject.selection.batches]
        self.is_random = False  # the loss changes with the random numbers
        self.nonfinite: NonfiniteGradient | None = None
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
        self._check_gradients(loss)
        if len(self.curve) < 3 or not len(self.curve) % 10:
            pairs = [(weight, weight.grad) for weight in self.subject.model.parameters()]
            self.reached |= {id(weight) for weight, grad in pairs if grad is not None and bool(grad.any())}
        return loss

    def _check_gradients(self, loss: float) -> None:
        """A gradient that is not finite where the loss is, and is no higher than at first: no rate is to blame."""
        if self.nonfinite is not None or not loss <= (self.curve or [loss])[0]:
            return
        bad = [n for n, w in trainable(self.subject.model) if w.grad is not None and not is_finite(w.grad)]
        self.nonfinite = NonfiniteGradient(len(self.curve), loss, tuple(bad)) if bad else None

    def look_for_draws(self) -> str:
        """Whether the loss is random; `stuck` where only its labels are."""
        own = self.stepper.loss()
        self.stepper.draw = 1
        self.is_random = not abs(self.stepper.loss() - own) <= RANDOM * abs(own)
        self.stepper.draw = 0
        self.reader.clear()
        whole = all(isinstance(one, torch.Tensor) and not one.is_floating_point() for one in self.labels)
        if not self.is_random or not whole:
            return ""
        self.targets = [None] * len(self.labels)
        ended, self.changes = self.find_redrawn_labels(), max(self.changes, 0)
        return ended if ended == "stuck" else ""

    def find_redrawn_labels(self) -> str:
        """How a run ends whose labels change, alone or with their rows, in passes at the same weights; "" otherwise.

        Once only. The weights stay, since soft targets change with them.
        """
        if self.changes < 0:
            return ""
        passes: list[Pass] = []
        found = ""
        while found != LABELS and len(passes) < PASSES * len(self.targets):
            self.stepper.draw = len(passes) // len(self.targets)
            self.stepper.gradient(lambda: passes.append((self.reader.read_targets(None), self.reader.logits)))
            found = labels_redrawn(passes, len(self.targets))
        self.stepper.draw = 0
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

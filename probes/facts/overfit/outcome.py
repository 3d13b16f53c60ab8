"""Judges a finished attempt: whether the loss fell, and whether the inputs count."""

import math
from typing import Any

import torch

from probes.facts.core.batch_changes import with_inputs_exchanged, with_rest_exchanged
from probes.facts.overfit.attempt_state import AttemptState
from probes.facts.overfit.detail_types import TrainModeResult
from probes.facts.overfit.loss_targets import PassTotals
from probes.facts.overfit.types import OverfitResult

CERTAIN = 3.0  # nats: the labels are twenty times as likely with their own inputs
ROUNDING = 1e-5  # nats for each label: sums in another order
SAME = 1e-5  # of the scores' spread: float32 leaves 1e-6, and a Whisper at random weights moves by 1e-2
ALIKE = 0.01  # of all that was learnt: rows aligned by heart lose most of it with the frames of others


class InputUse(AttemptState):
    """An attempt, and what exchanged inputs do to it."""

    def uses_input(self) -> bool:
        """With other inputs it predicts other classes, and these labels are less likely by far."""
        self.evaluate_swapped()
        if self.swapped is None or self.totals.cross_entropy is None or not self.prefix_entropy:
            return True
        swapped = self.swapped[1]
        worse = swapped.accuracy != 1.0 and swapped.nats - self.totals.nats > CERTAIN
        return swapped.cross_entropy is None or worse or self._knows_all_labels()

    def _knows_all_labels(self) -> bool:
        """All labels are learned; if other inputs change nothing, from something else than the input."""
        return self.totals.cross_entropy is not None and self.totals.cross_entropy < 0.1 * (self.prefix_entropy or 0.0)

    def ignores_input(self, share: float) -> bool:
        """As low as it gets without the input, and other inputs cost nothing, or this share of the floor."""
        loss, floor = self.totals.cross_entropy, self.prefix_entropy
        if not floor or loss is None or loss > 1.5 * floor or self.totals.ctc or self.subject.reads_labels:
            return False
        self.evaluate_swapped()
        costs = None if self.swapped is None else self.swapped[1].nats - self.totals.nats
        same = costs is not None and abs(costs) <= max(share, ROUNDING / floor) * floor * self.totals.tokens
        return same and (share > 0.0 or self.ignores_inputs(SAME))

    def ignores_input_with_ctc(self) -> bool:
        """No score moves with other inputs; or CTC knows its targets, and the loss is the same with other inputs."""
        if not self.totals.ctc or self.subject.reads_labels:
            return False
        if not self.aligns(0.5):
            return self.ignores_inputs(SAME)
        self.evaluate_swapped()
        own = self.stepper.loss()
        self.reader.clear()
        return self.swapped is not None and self.swapped[0] - own <= ALIKE * (self.curve[0] - own)

    def evaluate_swapped(self) -> None:
        """The loss with all but the targets exchanged between the rows."""
        batches = self.exchanged()
        if any(batch is None for batch in batches):
            return
        total, totals = 0.0, PassTotals()
        try:
            for batch, targets in zip(batches, self.targets, strict=True):
                total += self.stepper.loss([batch]) / len(batches)
                self.reader.compare(totals, targets)
        except Exception:  # rows that do not go with each other's targets, such as a prompt's length
            total = math.nan
        self.swapped = (total, totals) if math.isfinite(total) else None

    def exchanged(self) -> list[Any]:
        """Each batch with all but its targets moved on by one row; a batch of one row gets other inputs."""
        subject = self.subject
        batches = subject.selection.batches
        if not subject.selection.has_other_rows:
            return [None] * len(batches)
        if len(batches) == 1:
            return [with_rest_exchanged(batches[0], subject.labels_of)]
        return [with_inputs_exchanged(batch, subject.inputs_of) for batch in batches]

    def ignores_inputs(self, share: float) -> bool:
        """Whether no score moves by more than this share of their spread: losses of rows may cancel out."""
        pairs = [
            (self._scores(own), self._scores(other))
            for own, other in zip(self.subject.selection.batches, self.exchanged(), strict=True)
            if other is not None
        ]
        known = [(a, b) for a, b in pairs if a is not None and b is not None and a.shape == b.shape]
        still = [float((a - b).abs().max()) <= share * float(a.std(correction=0)) for a, b in known]
        return bool(still) and all(still)

    def _scores(self, batch: Any) -> torch.Tensor | None:
        self.stepper.loss([batch])
        scores = self.reader.logits
        self.reader.clear()
        return None if scores is None else scores.detach().float()


TENTH, NAT = 0.1, 1.0  # of the loss: a fall by a tenth of it, or by a nat, is no noise
QUARTER = 0.25  # of `prefix_entropy`, which is what a model pays that cannot tell the rows apart


def loss_fell(run: OverfitResult) -> bool:
    """By a tenth of the loss before; or the cross-entropy of the labels by a nat."""
    known = run.cross_entropies and run.cross_entropy is not None
    nats = run.cross_entropies[0] - (run.cross_entropy or 0.0) if known else 0.0
    return nats > NAT or run.first - run.final > TENTH * abs(run.first)


def uses_input(run: OverfitResult) -> bool | None:
    """Swapped inputs raise the loss. False: no score moves, or it stays at what can be known without the input.

    None: not tried, or it has other ways to tell its rows apart, or the rows do not differ where it matters.
    """
    if run.swapped is None:
        return None
    if run.ignores_inputs:
        return False
    if run.cross_entropy is None or run.swapped_cross_entropy is None:
        return True if run.swapped - run.final > TENTH * abs(run.first - run.final) > 0 else None
    blind = run.prefix_entropy
    if not blind:
        return None
    if run.swapped_cross_entropy - run.cross_entropy > QUARTER * blind:
        return True
    return False if (1 - TENTH) * blind < run.cross_entropy < (1 + QUARTER) * blind else None


def learns_in_train_mode(trial: TrainModeResult, run: OverfitResult) -> bool:
    """In train mode it is as low as with dropout off, and below `prefix_entropy`, as no model is that cannot tell the
    rows apart. Or swapped inputs cost a quarter of that; and it is below the entropy of the labels, or they cost all of
    it and a tenth of itself, in every draw."""
    if trial.cross_entropy is None or not run.unigram:
        return trial.loss < run.first
    if trial.exchanged is None or not run.prefix_entropy:
        return trial.cross_entropy < run.unigram
    if trial.cross_entropy < min((1 - TENTH) * run.prefix_entropy, run.cross_entropy or 0.0):
        return True
    worse = trial.exchanged - trial.cross_entropy
    strong = trial.steady and worse > max(run.prefix_entropy, TENTH * trial.cross_entropy)
    return worse > QUARTER * run.prefix_entropy and (trial.cross_entropy < run.unigram or strong)

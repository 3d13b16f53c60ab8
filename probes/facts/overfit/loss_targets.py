"""Per position: the class that the loss pushes up (argmin of its gradient on the logits) and the class predicted."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from probes.facts.core.ctc_call import CtcCall, CtcSpy
from probes.facts.core.output_hook import OutputHook
from probes.facts.overfit.entropy_floors import reads_logits

UNEVEN = 0.1  # of the gradient: a further term on the scores may tip it a little


@dataclass
class PassTotals:
    """One pass over all batches, added up."""

    targets: list[list[int]] = field(default_factory=list)  # the classes that the loss pushes up, row by row
    right: int = 0
    nats: float = 0.0
    classes: int = 0
    ctc: list[CtcCall] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return sum(map(len, self.targets))

    @property
    def accuracy(self) -> float | None:
        return self.right / self.tokens if self.tokens else None

    @property
    def cross_entropy(self) -> float | None:
        """In nats for each label, whatever the loss makes of it."""
        return self.nats / self.tokens if self.tokens else None


class LossTargetReader(OutputHook):
    """Open while batches run: `read_targets` after a backward pass, `compare` after any pass with known targets.

    `labels`: those of a batch. Where they are no whole numbers, nothing says that the scores are those of classes.
    """

    def __init__(self, model: torch.nn.Module, labels: Any) -> None:
        super().__init__(model)
        self.ctc = CtcSpy()
        self.spies = (self.ctc,)
        self._balanced = True
        self._has_classes = isinstance(labels, torch.Tensor) and not labels.is_floating_point()

    def on_gradient(self, gradient: torch.Tensor) -> None:
        """What a softmax pushes up in one class it pushes down in the others: else the last axis holds no classes."""
        super().on_gradient(gradient)
        sums, sizes = gradient.float().sum(-1).abs().sum(), gradient.float().abs().sum()
        self._balanced = self._has_classes and bool(sums <= UNEVEN * sizes)

    def clear(self) -> None:
        self.ctc.calls.clear()
        self.scored = self.targets = self.logits = None
        self._balanced = True

    def read_targets(self, labels: Any) -> torch.Tensor | None:
        """The class that the loss pushes up at each position, by its gradient on the logits; negative where none is.

        A label that is predicted already counts, even where a smoothed loss would lower it.
        """
        targets, logits = (self.targets, self.logits) if self._balanced else (None, None)
        if targets is None or logits is None or not isinstance(labels, torch.Tensor) or labels.shape != targets.shape:
            return targets
        labels = labels.to(targets.device)
        scored = (targets >= 0) & (labels >= 0)
        if not bool(2 * (targets == labels)[scored].sum() > scored.sum()):  # a language model's labels stand elsewhere
            return targets
        return torch.where(scored & (logits.argmax(-1) == labels), labels.to(targets.dtype), targets)

    def targets_changed(self, first: torch.Tensor | None) -> bool:
        """Whether they differ from the first ones, at positions where the first ones are not yet predicted."""
        targets, logits = (self.targets, self.logits) if self._balanced else (None, None)
        if first is None or targets is None or logits is None or first.shape != targets.shape or self._is_ctc(logits):
            return False
        wrong = (first >= 0) & (targets >= 0) & (logits.argmax(-1) != first)
        return bool((targets != first)[wrong].any())

    def compare(self, totals: PassTotals, targets: torch.Tensor | None) -> None:
        """Adds the pass to the totals, scored by these targets (negative: not scored), and clears."""
        logits = self.logits
        totals.ctc += [call for call in self.ctc.calls if call.log_probs.dim() == 3]
        fits = logits is not None and targets is not None and logits.shape[:-1] == targets.shape
        if logits is not None and targets is not None and fits and not self._is_ctc(logits):
            scores, scored = logits.float(), targets >= 0
            totals.classes = scores.shape[-1]
            totals.right += int((scores.argmax(-1) == targets)[scored].sum())
            nats = cross_entropy(scores[scored], targets[scored], reduction="sum") if bool(scored.any()) else 0.0
            totals.nats += float(nats)
            totals.targets += [row[mask].tolist() for row, mask in zip(_rows(targets), _rows(scored), strict=True)]
        self.clear()

    def _is_ctc(self, logits: torch.Tensor) -> bool:
        """Scores of frames: what a gradient pushes up there is no label."""
        return any(reads_logits(call, logits) for call in self.ctc.calls)


def _rows(values: torch.Tensor) -> torch.Tensor:
    return values.reshape(len(values), -1)


def ctc_targets(first: PassTotals, now: PassTotals) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """What each CTC loss had to align, then and now."""
    for one, other in zip(first.ctc, now.ctc, strict=False):
        yield one.targets, other.targets

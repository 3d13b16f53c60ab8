"""Reads what a model says while it learns: the class that the loss asks for at each place, and the one it gets."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from probes.facts.core.model_output import logits_of
from probes.facts.core.output_hook import OutputHook, hook_output
from probes.facts.overfit.ctc_calls import CtcCall, CtcCallSpy

UNEVEN = 0.1  # of the gradient: a further term on the scores may tip it a little


@dataclass
class PassTotals:
    """One pass over all batches of a lesson, added up."""

    asked: list[list[int]] = field(default_factory=list)  # the classes the loss asks for, row by row, in order
    right: int = 0
    nats: float = 0.0
    classes: int = 0
    ctc: list[CtcCall] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return sum(map(len, self.asked))

    @property
    def accuracy(self) -> float | None:
        return self.right / self.tokens if self.tokens else None

    @property
    def book(self) -> float | None:
        """Plain cross-entropy for each label, whatever the loss makes of it."""
        return self.nats / self.tokens if self.tokens else None


class LossTargetReader:
    """Open while batches run: `asked` after a backward pass, `compare` after any with the classes that are known."""

    def __init__(self, watch: OutputHook) -> None:
        self._watch = watch
        self._ears = CtcCallSpy()
        self._balanced = True

    def see(self, module: torch.nn.Module, given: Any, output: Any) -> None:
        logits = logits_of(output)
        if logits is not None and logits.requires_grad:
            logits.register_hook(self._weigh)

    def _weigh(self, gradient: torch.Tensor) -> None:
        """What a softmax pushes up in one class it pushes down in the others: else the last axis holds no classes."""
        sums, sizes = gradient.float().sum(-1).abs().sum(), gradient.float().abs().sum()
        self._balanced = bool(sums <= UNEVEN * sizes)

    @property
    def scores(self) -> torch.Tensor | None:
        """Of the pass that has just run."""
        return self._watch.logits

    def clear(self) -> None:
        self._ears.calls.clear()
        self._watch.felt = self._watch.wanted = self._watch.logits = None
        self._balanced = True

    def compare(self, seen: PassTotals, wanted: torch.Tensor | None) -> None:
        """Without a gradient: against classes that were asked for before (negative: not scored)."""
        self._add(seen, wanted, None if wanted is None else wanted >= 0)
        self.clear()

    def asked(self, labels: Any) -> torch.Tensor | None:
        """The class that the loss asks for at each place, by its gradient on the scores; negative where it is none.

        A label that the model says already is asked for, even where a smoothed loss would like it less likely.
        """
        wanted, logits = (self._watch.wanted, self._watch.logits) if self._balanced else (None, None)
        if wanted is None or logits is None or not isinstance(labels, torch.Tensor) or labels.shape != wanted.shape:
            return wanted
        labels = labels.to(wanted.device)
        scored = (wanted >= 0) & (labels >= 0)
        if not bool(2 * (wanted == labels)[scored].sum() > scored.sum()):  # a language model's labels stand elsewhere
            return wanted
        return torch.where(scored & (logits.argmax(-1) == labels), labels.to(wanted.dtype), wanted)

    def asks_otherwise(self, first: torch.Tensor | None) -> bool:
        """Other classes than at first, at places where the first ones are not yet said."""
        wanted, logits = (self._watch.wanted, self._watch.logits) if self._balanced else (None, None)
        if first is None or wanted is None or logits is None or first.shape != wanted.shape or self._is_ctc(logits):
            return False
        unsaid = (first >= 0) & (wanted >= 0) & (logits.argmax(-1) != first)
        return bool((wanted != first)[unsaid].any())

    def _add(self, seen: PassTotals, wanted: torch.Tensor | None, felt: torch.Tensor | None) -> None:
        logits = self._watch.logits
        seen.ctc += self._ears.calls
        if logits is None or wanted is None or felt is None or logits.shape[:-1] != wanted.shape:
            return
        if self._is_ctc(logits):
            return
        scores = logits.detach().float()
        seen.classes = scores.shape[-1]
        seen.right += int((scores.argmax(-1) == wanted)[felt].sum())
        seen.nats += float(cross_entropy(scores[felt], wanted[felt], reduction="sum")) if bool(felt.any()) else 0.0
        seen.asked += [row[mask].tolist() for row, mask in zip(_lines(wanted), _lines(felt), strict=True)]

    def _is_ctc(self, logits: torch.Tensor) -> bool:
        """Scores of frames: what a gradient asks for there is no label."""
        return any(call.reads(logits) for call in self._ears.calls)


def _lines(values: torch.Tensor) -> torch.Tensor:
    return values.reshape(len(values), -1)


@contextmanager
def read_loss_targets(model: torch.nn.Module) -> Iterator[LossTargetReader]:
    with hook_output(model) as watch:
        eyes = LossTargetReader(watch)
        handle = model.register_forward_hook(eyes.see)
        try:
            with eyes._ears:
                yield eyes
        finally:
            handle.remove()


def targets_of(first: PassTotals, now: PassTotals) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """What each CTC loss had to align, then and now."""
    for one, other in zip(first.ctc, now.ctc, strict=False):
        yield one.targets, other.targets

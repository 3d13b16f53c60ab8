"""Reads what a model says while it learns: the class that the loss asks for at each place, and the one it gets."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from torch.overrides import TorchFunctionMode

from probes.instruments.learning_floors import ctc_floor
from probes.instruments.outputs import logits_of
from probes.instruments.watching import Watch, watched

Rows = tuple[tuple[int, ...], ...]
UNEVEN = 0.1  # of the gradient: a further term on the scores may tip it a little


@dataclass
class Seen:
    """One pass over all batches of a lesson, added up."""

    asked: list[list[int]] = field(default_factory=list)  # the classes the loss asks for, row by row, in order
    right: int = 0
    nats: float = 0.0
    classes: int = 0
    ctc: list["Ctc"] = field(default_factory=list)

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


@dataclass(frozen=True)
class Ctc:
    """One call of the CTC loss: its scores as log-probabilities (frames, rows, classes), and what it was to align."""

    scores: torch.Tensor
    targets: torch.Tensor
    frames: torch.Tensor
    lengths: torch.Tensor
    blank: int

    def loss(self) -> float:
        """A mean over labels and rows, whatever the model's own reduction is."""
        with torch.no_grad():
            given = (self.scores, self.targets.clamp(min=0), self.frames, self.lengths, self.blank)
            return float(torch.nn.functional.ctc_loss(*given, zero_infinity=True))

    def floor(self) -> float:
        return ctc_floor(self.scores, self.targets.clamp(min=0), self.frames, self.lengths, self.blank)

    def spoken(self) -> float:
        """Share of the frames whose likeliest class is not the blank."""
        inside = torch.arange(len(self.scores))[:, None] < self.frames[None, :]
        return float((self.scores.argmax(-1) != self.blank)[inside].float().mean())


class Eyes:
    """Open while batches run: `look` after each backward pass, `compare` after a forward pass with known classes."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._ears = _CtcEars()
        self._balanced = True

    def see(self, module: torch.nn.Module, given: Any, output: Any) -> None:
        logits = logits_of(output)
        if logits is not None and logits.requires_grad:
            logits.register_hook(self._weigh)

    def _weigh(self, gradient: torch.Tensor) -> None:
        """What a softmax pushes up in one class it pushes down in the others: else the last axis holds no classes."""
        sums, sizes = gradient.float().sum(-1).abs().sum(), gradient.float().abs().sum()
        self._balanced = bool(sums <= UNEVEN * sizes)

    def clear(self) -> None:
        self._ears.calls.clear()
        self._watch.felt = self._watch.wanted = self._watch.logits = None
        self._balanced = True

    def look(self, seen: Seen) -> None:
        """What the loss asks for is read from its gradient on the scores."""
        wanted, felt = self.wanted, self._watch.felt
        self._add(seen, wanted, felt)
        self.clear()

    def compare(self, seen: Seen, wanted: torch.Tensor | None) -> None:
        """Without a gradient: against classes that were asked for before (negative: not scored)."""
        self._add(seen, wanted, None if wanted is None else wanted >= 0)
        self.clear()

    @property
    def wanted(self) -> torch.Tensor | None:
        """The class asked for at each place, negative where none is."""
        return self._watch.wanted if self._balanced else None

    def _add(self, seen: Seen, wanted: torch.Tensor | None, felt: torch.Tensor | None) -> None:
        logits = self._watch.logits
        seen.ctc += self._ears.calls
        if (
            logits is None
            or wanted is None
            or felt is None
            or logits.shape[:-1] != wanted.shape
            or self._is_ctc(logits)
        ):
            return
        scores = logits.detach().float()
        seen.classes = scores.shape[-1]
        seen.right += int((scores.argmax(-1) == wanted)[felt].sum())
        seen.nats += float(cross_entropy(scores[felt], wanted[felt], reduction="sum")) if bool(felt.any()) else 0.0
        seen.asked += [row[mask].tolist() for row, mask in zip(_lines(wanted), _lines(felt), strict=True)]

    def _is_ctc(self, logits: torch.Tensor) -> bool:
        """Scores of frames: what a gradient asks for there is no label."""
        sizes = [(call.scores.shape[1], call.scores.shape[0], call.scores.shape[2]) for call in self._ears.calls]
        return any(tuple(logits.shape) in (size, (size[1], size[0], size[2])) for size in sizes)


def _lines(values: torch.Tensor) -> torch.Tensor:
    return values.reshape(len(values), -1)


class _CtcEars(TorchFunctionMode):
    """Hears every CTC loss."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Ctc] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__name__", "") == "ctc_loss":
            self.calls += _heard(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def _heard(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, *_: Any, **__: Any
) -> list[Ctc]:
    if log_probs.dim() != 3:
        return []
    frames, lengths = (torch.as_tensor(one).reshape(-1).cpu().long() for one in (input_lengths, target_lengths))
    return [Ctc(log_probs.detach().float().cpu(), targets.detach().cpu().long(), frames, lengths, blank)]


@contextmanager
def open_eyes(model: torch.nn.Module) -> Iterator[Eyes]:
    with watched(model) as watch:
        eyes = Eyes(watch)
        handle = model.register_forward_hook(eyes.see)
        try:
            with eyes._ears:
                yield eyes
        finally:
            handle.remove()


def asked_rows(seen: Sequence[Sequence[int]]) -> Rows:
    return tuple(tuple(row) for row in seen)

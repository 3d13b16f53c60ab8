"""The loss of one optimizer step, whatever it was cut into: tokens weigh the attention part, rows the CTC part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from trainer.collate.labels import IGNORE

if TYPE_CHECKING:
    from trainer.models.bundle import Batch, ModelBundle

PARTS = ("att", "ctc")
NUMBERS = ("window", "empty", "empty_in_all", "skipped")


@dataclass(frozen=True)
class TargetCounts:
    """How much there is to score: tokens for the decoder, rows for CTC. Tensors once many processes were summed."""

    tokens: int | Tensor
    rows: int | Tensor

    def scored(self, ctc_only: bool) -> bool:
        """Whether there is anything to learn from."""
        return bool(self.rows) or (not ctc_only and bool(self.tokens))


def count(parts: ModelBundle, batch: Batch) -> TargetCounts:
    """Count on the host, before the batch goes to the device: nothing has to wait for it."""
    targets = _ctc_targets(parts, batch)
    rows = 0 if targets is None else int((targets != IGNORE).any(dim=1).sum())
    return TargetCounts(int((parts.labels_of(batch) != IGNORE).sum()), rows)


def total(counts: Sequence[TargetCounts]) -> TargetCounts:
    """The counts of an accumulated batch."""
    return TargetCounts(sum(one.tokens for one in counts), sum(one.rows for one in counts))


def weighted_terms(output: Any, counts: TargetCounts, totals: TargetCounts) -> dict[str, Tensor]:
    """What one micro-batch adds to the means of the whole: its mean times its part of the count."""
    ctc = getattr(output, "ctc_loss", None)
    att = getattr(output, "att_loss", None) if ctc is not None else output.loss
    parts = {}
    if att is not None and counts.tokens:  # a mean over no token is NaN, and stays NaN times zero
        parts["att"] = att * (counts.tokens / _at_least_one(totals.tokens))
    if ctc is not None:
        parts["ctc"] = ctc * (counts.rows / _at_least_one(totals.rows))
    return parts


def combine_terms(parts: Mapping[str, Tensor], output: Any, weight: float) -> Tensor:
    """w * ctc + (1 - w) * att, or the one part there is; a decoder with nothing to score still joins the graph."""
    decodes = getattr(output, "logits", None) is not None
    att = parts["att"] if "att" in parts else output.logits.sum() * 0.0 if decodes else None
    ctc = parts.get("ctc")
    if ctc is None or att is None:
        return att if ctc is None else ctc
    return weight * ctc + (1.0 - weight) * att


class LossTracker:
    """The parts of the loss since the last log line, kept on the device and read only when a line is written."""

    def __init__(self) -> None:
        self.sums: dict[str, Tensor] = {}
        self.steps: dict[str, int | Tensor] = {}
        self.now: dict[str, Tensor] = {}  # the parts of the step that is being made
        self.window = self.empty = self.empty_in_all = self.skipped = 0

    def begin_step(self, totals: TargetCounts, empty: bool, ctc_only: bool) -> None:
        """A step counts for a part only where that part has something to score."""
        self.window, self.empty, self.empty_in_all = self.window + 1, self.empty + empty, self.empty_in_all + empty
        self.now = {}
        for name, found in zip(PARTS, (0 if ctc_only else totals.tokens, totals.rows), strict=True):
            self.steps[name] = self.steps.get(name, 0) + (found > 0)

    def add(self, parts: Mapping[str, Tensor]) -> None:
        """Sum without a copy to the host."""
        for name, value in parts.items():
            value = value.detach()
            for sums in (self.sums, self.now):
                sums[name] = sums[name] + value if name in sums else value

    def mean_of_scored(self, mean: float) -> float | None:
        """The mean over all steps becomes the mean over those with something to score; None when there was none."""
        scored = self.window - self.empty
        return mean if scored == self.window else mean * self.window / scored if scored else None

    def page(self, over_processes: Callable[[Tensor], Tensor]) -> dict[str, float]:
        """What a log line says beside the loss, summed over processes; then a new page begins."""
        sums = [float(self.sums.get(name, 0.0)) for name in PARTS]
        *sums, skipped = over_processes(torch.tensor([*sums, self.skipped], dtype=torch.float64)).tolist()
        steps = [int(self.steps.get(name, 0)) for name in PARTS]
        means = {f"{name}_loss": value / n for name, value, n in zip(PARTS, sums, steps, strict=True) if n}
        self.sums, self.steps, self.window, self.empty = {}, {}, 0, 0
        return (means if "ctc_loss" in means else {}) | ({"skipped_batches": int(skipped)} if skipped else {})

    def state(self) -> dict[str, Any]:
        """Plain numbers, exact, for the checkpoint."""
        plain = {name: getattr(self, name) for name in NUMBERS}
        sums = {name: float(value) for name, value in self.sums.items()}
        return plain | {"sums": sums, "steps": {name: int(value) for name, value in self.steps.items()}}

    def restore(self, state: Mapping[str, Any], device: torch.device) -> None:
        """Go on where `state` was taken."""
        for name in NUMBERS:
            setattr(self, name, state[name])
        self.sums = {name: torch.tensor(value, device=device) for name, value in state["sums"].items()}
        self.steps = dict(state["steps"])


def _ctc_targets(parts: ModelBundle, batch: Batch) -> Tensor | None:
    if "ctc_labels" in batch:
        return batch["ctc_labels"]
    if getattr(parts.model.config, "ctc_weight", 0.0) and hasattr(parts.model, "ctc_targets"):
        return parts.model.ctc_targets(parts.labels_of(batch))
    return None


def _at_least_one(number: int | Tensor) -> int | Tensor:
    return number.clamp(min=1) if isinstance(number, Tensor) else max(number, 1)

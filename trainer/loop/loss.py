"""The loss of a step over its micro-batches: tokens weigh the attention term, rows the CTC term."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from trainer.collate.labels import IGNORE

if TYPE_CHECKING:
    from trainer.models.bundle import Batch, ModelBundle

TERMS = ("att", "ctc")
NUMBERS = ("window", "empty", "empty_in_all", "skipped")  # keys on disk


@dataclass(frozen=True)
class TargetCounts:
    """Number of targets: tokens for the decoder, rows for CTC; tensors once summed over processes."""

    tokens: int | Tensor
    rows: int | Tensor

    def scored(self, ctc_only: bool) -> bool:
        """Whether there is any target."""
        return bool(self.rows) or (not ctc_only and bool(self.tokens))


def count(bundle: ModelBundle, batch: Batch) -> TargetCounts:
    """Count the targets of a batch on the host, before it goes to the device."""
    targets = _ctc_targets(bundle, batch)
    rows = 0 if targets is None else int((targets != IGNORE).any(dim=1).sum())
    return TargetCounts(int((bundle.labels_of(batch) != IGNORE).sum()), rows)


def total(counts: Sequence[TargetCounts]) -> TargetCounts:
    """The counts of all micro-batches of a step."""
    return TargetCounts(sum(one.tokens for one in counts), sum(one.rows for one in counts))


def weighted_terms(output: Any, counts: TargetCounts, totals: TargetCounts) -> dict[str, Tensor]:
    """Loss terms of one micro-batch, each times its share of the step's targets."""
    ctc = getattr(output, "ctc_loss", None)
    att = getattr(output, "att_loss", None) if ctc is not None else output.loss
    terms: dict[str, Tensor] = {}
    if att is not None and counts.tokens:  # a mean over no token is NaN, and stays NaN times zero
        terms["att"] = att * (counts.tokens / _at_least_one(totals.tokens))
    if ctc is not None:
        terms["ctc"] = ctc * (counts.rows / _at_least_one(totals.rows))
    return terms


def combine_terms(terms: Mapping[str, Tensor], output: Any, weight: float) -> Tensor:
    """w * ctc + (1 - w) * att, or the one term there is; a decoder without targets adds 0 to the graph."""
    decodes = getattr(output, "logits", None) is not None
    att = terms["att"] if "att" in terms else output.logits.sum() * 0.0 if decodes else None
    ctc = terms.get("ctc")
    if ctc is None or att is None:
        return next(term for term in (ctc, att) if term is not None)
    return weight * ctc + (1.0 - weight) * att


class LossTracker:
    """Running sums of the loss terms since the last log line, on the device until a line is written."""

    def __init__(self) -> None:
        self.sums: dict[str, Tensor] = {}
        self.steps: dict[str, int | Tensor] = {}
        self.step_terms: dict[str, Tensor] = {}  # of the current step
        self.window = self.empty = self.empty_in_all = self.skipped = 0

    def begin_step(self, totals: TargetCounts, empty: bool, ctc_only: bool) -> None:
        """Start a step; it counts for a term only if that term has targets."""
        self.window, self.empty, self.empty_in_all = self.window + 1, self.empty + empty, self.empty_in_all + empty
        self.step_terms = {}
        for name, found in zip(TERMS, (0 if ctc_only else totals.tokens, totals.rows), strict=True):
            self.steps[name] = self.steps.get(name, 0) + (found > 0)

    def add(self, terms: Mapping[str, Tensor]) -> None:
        """Add the terms of a micro-batch, without a copy to the host."""
        for name, value in terms.items():
            value = value.detach()
            for sums in (self.sums, self.step_terms):
                sums[name] = sums[name] + value if name in sums else value

    def mean_of_scored(self, mean: float) -> float | None:
        """The mean over steps with targets, from the mean over all steps; None if no step had one."""
        scored = self.window - self.empty
        return mean if scored == self.window else mean * self.window / scored if scored else None

    def log_values(self, sum_over_processes: Callable[[Tensor], Tensor]) -> dict[str, float]:
        """Means of the terms and skipped batches for a log line, summed over processes; resets the sums."""
        sums = [float(self.sums.get(name, 0.0)) for name in TERMS]
        *sums, skipped = sum_over_processes(torch.tensor([*sums, self.skipped], dtype=torch.float64)).tolist()
        steps = [int(self.steps.get(name, 0)) for name in TERMS]
        means = {f"{name}_loss": value / n for name, value, n in zip(TERMS, sums, steps, strict=True) if n}
        self.sums, self.steps, self.window, self.empty = {}, {}, 0, 0
        return (means if "ctc_loss" in means else {}) | ({"skipped_batches": int(skipped)} if skipped else {})

    def state(self) -> dict[str, Any]:
        """Plain numbers, exact, for a checkpoint."""
        plain = {name: getattr(self, name) for name in NUMBERS}
        sums = {name: float(value) for name, value in self.sums.items()}
        return plain | {"sums": sums, "steps": {name: int(value) for name, value in self.steps.items()}}

    def restore(self, state: Mapping[str, Any], device: torch.device) -> None:
        """Restore what `state` gave."""
        for name in NUMBERS:
            setattr(self, name, state[name])
        self.sums = {name: torch.tensor(value, device=device) for name, value in state["sums"].items()}
        self.steps = dict(state["steps"])


def _ctc_targets(bundle: ModelBundle, batch: Batch) -> Tensor | None:
    if "ctc_labels" in batch:
        return batch["ctc_labels"]
    if getattr(bundle.model.config, "ctc_weight", 0.0) and hasattr(bundle.model, "ctc_targets"):
        return bundle.model.ctc_targets(bundle.labels_of(batch))
    return None


def _at_least_one(number: int | Tensor) -> int | Tensor:
    return number.clamp(min=1) if isinstance(number, Tensor) else max(number, 1)

"""Gradient accumulation that gives the same step for any number of micro-batches and processes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from trainer.loop.loss import LossTracker, TargetCounts, combine_terms, count, total, weighted_terms
from trainer.loop.runtime.out_of_memory import LargestBatch
from trainer.loop.trainer_host import TrainerHost

if TYPE_CHECKING:
    from trainer.models.bundle import Batch


class AccumulationMixin(TrainerHost):
    """Counts the targets of a step first, then weighs the loss of every micro-batch by its share of them."""

    loss_is_scaled_for_ga = True
    nothing_scored = False  # whether the step has no target at all, in any process

    def reset_loss_tracking(self) -> None:
        """Forget all steps made so far."""
        self.loss_tracker, self.largest_batch = LossTracker(), LargestBatch()
        self._counts: list[TargetCounts] = []

    @property
    def ctc_only(self) -> bool:
        """Whether the encoder trains by CTC alone for now."""
        return getattr(self.model, "ctc_only", False)

    def get_batch_samples(  # type: ignore[override]  # counts of two kinds stand where transformers has one
        self, epoch_iterator: Iterator[Batch], num_batches: int, device: torch.device
    ) -> tuple[list[Batch], TargetCounts]:
        """The micro-batches of one step, and the number of targets in all of them, over all processes."""
        batches = list(islice(epoch_iterator, num_batches))
        self.largest_batch.update(*batches)
        self._counts = [count(self.bundle, batch) for batch in batches]
        own = total(self._counts)
        totals = self._sum_counts(own)
        # Only a process that has nothing itself looks at the sum and waits for the device; the others go on.
        self.nothing_scored = not own.scored(self.ctc_only) and not totals.scored(self.ctc_only)
        self.loss_tracker.begin_step(totals, self.nothing_scored, self.ctc_only)
        return batches, totals

    def training_step(  # type: ignore[override]
        self, model: nn.Module, inputs: dict[str, Any], num_items_in_batch: TargetCounts | None = None
    ) -> Tensor:
        """Skips and counts a batch without a scored label; with several processes its loss is 0 instead."""
        self._micro_counts = self._counts.pop(0) if self._counts else count(self.bundle, inputs)
        if not self._micro_counts.scored(self.ctc_only):
            self.loss_tracker.skipped += 1
            if self.args.world_size == 1 or self.nothing_scored:
                return torch.zeros((), device=self.args.device)
        totals: Any = num_items_in_batch or self._micro_counts
        return super().training_step(model, inputs, totals)

    def compute_loss(  # type: ignore[override]
        self,
        model: nn.Module,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: TargetCounts | None = None,
    ) -> Any:
        """The micro-batch's share of the step's mean loss; outside of training, the model's own mean."""
        output = model(**inputs)
        loss = output.loss if num_items_in_batch is None else self._loss_share(output, num_items_in_batch)
        return (loss, output) if return_outputs else loss

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Logs the mean loss over steps with targets, and the loss terms beside it."""
        if "loss" in logs:
            loss = self.loss_tracker.mean_of_scored(logs.pop("loss"))
            scored = {} if loss is None else {"loss": loss}
            logs.update({**scored, **self.loss_tracker.log_values(self._sum_over_processes), **logs})
        if "train_loss" in logs:
            steps = self.state.global_step - self.loss_tracker.empty_in_all
            logs["train_loss"] = self._total_loss_scalar / max(1, steps)
            logs.pop("total_flos", None)
        super().log(logs, start_time)

    def floating_point_ops(self, inputs: dict[str, Any]) -> int:
        """0: the estimate is made for text, and walks over all parameters at every step."""
        return 0

    def any_process(self, flag: bool) -> bool:
        """Whether the flag is set in any process."""
        return bool(self._sum_over_processes(torch.tensor([int(flag)])).item())

    def _prepare_input(self, data: Any) -> Any:
        return (
            data.to(self.args.device, non_blocking=True) if isinstance(data, Tensor) else super()._prepare_input(data)
        )

    def _loss_share(self, output: Any, totals: TargetCounts) -> Tensor:
        terms = weighted_terms(output, self._micro_counts, totals)
        self.loss_tracker.add(terms)
        # DDP takes the mean over processes where a sum is meant.
        return combine_terms(terms, output, getattr(self.model.config, "ctc_weight", 0.0)) * self.args.world_size

    def _sum_counts(self, counts: TargetCounts) -> TargetCounts:
        if self.args.world_size == 1:
            return counts
        return TargetCounts(*self._sum_over_processes(torch.tensor([counts.tokens, counts.rows])))

    def _sum_over_processes(self, numbers: Tensor) -> Tensor:
        if self.args.world_size == 1:
            return numbers
        return self.accelerator.reduce(numbers.to(self.args.device), "sum")

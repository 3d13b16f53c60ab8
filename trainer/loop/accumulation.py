"""Steps that come out the same however they are accumulated or spread over processes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from trainer.loop.loss import LossTracker, TargetCounts, combine_terms, count, total, weighted_terms
from trainer.loop.runtime.out_of_memory import LargestBatch

if TYPE_CHECKING:
    from trainer.models.bundle import Batch, ModelBundle


class AccumulationMixin:
    """For a transformers Trainer that has `parts`: counts first, then weighs every micro-batch by what it holds."""

    loss_is_scaled_for_ga = True
    parts: ModelBundle
    _empty_step = False

    def start_books(self) -> None:
        """Nothing seen yet."""
        self.book, self.largest = LossTracker(), LargestBatch()
        self._counts: list[TargetCounts] = []

    @property
    def ctc_only(self) -> bool:
        """Whether the encoder trains by CTC alone for now."""
        return getattr(self.model, "ctc_only", False)

    def get_batch_samples(
        self, epoch_iterator: Iterator[Batch], num_batches: int, device: torch.device
    ) -> tuple[list[Batch], TargetCounts]:
        """The micro-batches of one step, and what there is to score in all of them, over all processes."""
        batches = list(islice(epoch_iterator, num_batches))
        self.largest.see(*batches)
        self._counts = [count(self.parts, batch) for batch in batches]
        here = total(self._counts)
        totals = self._over_processes(here)
        # Only a process that has nothing itself looks at the sum and waits for the device; the others go on.
        self._empty_step = not here.scored(self.ctc_only) and not totals.scored(self.ctc_only)
        self.book.begin_step(totals, self._empty_step, self.ctc_only)
        return batches, totals

    def training_step(self, model: nn.Module, inputs: Batch, num_items_in_batch: TargetCounts | None = None) -> Tensor:
        """A batch without one scored label is skipped and counted; where others wait for its gradient, it adds zero."""
        self._now = self._counts.pop(0) if self._counts else count(self.parts, inputs)
        if not self._now.scored(self.ctc_only):
            self.book.skipped += 1
            if self.args.world_size == 1 or self._empty_step:
                return torch.zeros((), device=self.args.device)
        return super().training_step(model, inputs, num_items_in_batch or self._now)

    def compute_loss(
        self,
        model: nn.Module,
        inputs: Batch,
        return_outputs: bool = False,
        num_items_in_batch: TargetCounts | None = None,
    ) -> Any:
        """The share of this micro-batch; outside of training, the model's own mean."""
        output = model(**inputs)
        loss = output.loss if num_items_in_batch is None else self._share(output, num_items_in_batch)
        return (loss, output) if return_outputs else loss

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Steps that had nothing to score do not pull the mean towards zero, and the parts stand beside the loss."""
        if "loss" in logs:
            loss = self.book.mean_of_scored(logs.pop("loss"))
            scored = {} if loss is None else {"loss": loss}
            logs.update({**scored, **self.book.page(self._summed), **logs})
        if "train_loss" in logs:
            logs["train_loss"] = self._total_loss_scalar / max(1, self.state.global_step - self.book.empty_in_all)
            logs.pop("total_flos", None)
        super().log(logs, start_time)

    def floating_point_ops(self, inputs: Batch) -> int:
        """None: the estimate is made for text, and walks over all parameters at every step."""
        return 0

    def _prepare_input(self, data: Any) -> Any:
        return (
            data.to(self.args.device, non_blocking=True) if isinstance(data, Tensor) else super()._prepare_input(data)
        )

    def _share(self, output: Any, totals: TargetCounts) -> Tensor:
        parts = weighted_terms(output, self._now, totals)
        self.book.add(parts)
        # DDP takes the mean over processes where a sum is meant.
        return combine_terms(parts, output, getattr(self.model.config, "ctc_weight", 0.0)) * self.args.world_size

    def _over_processes(self, counts: TargetCounts) -> TargetCounts:
        alone = self.args.world_size == 1
        return counts if alone else TargetCounts(*self._summed(torch.tensor([counts.tokens, counts.rows])))

    def vote(self, noted: bool) -> bool:
        """Whether any process says yes."""
        return bool(self._summed(torch.tensor([int(noted)])).item())

    def _summed(self, numbers: Tensor) -> Tensor:
        alone = self.args.world_size == 1
        return numbers if alone else self.accelerator.reduce(numbers.to(self.args.device), "sum")

"""Evaluation: the mean loss over all tokens of the set, and metrics of the generated texts by task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import gather_object
from torch import Tensor
from transformers.trainer_utils import EvalLoopOutput

from trainer.evaluation.training_metrics import metric_values
from trainer.loop.loss import TERMS, TargetCounts, count, weighted_terms
from trainer.loop.trainer_host import TrainerHost

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

SAMPLES = 50  # texts of an evaluation that are kept for the guard


@dataclass
class EvaluationTotals:
    """Sums over the set: batches of any size give the same mean."""

    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TERMS, 0.0))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TERMS, 0))
    texts: list[tuple[str, str, str]] = field(default_factory=list)
    rows: int = 0

    def add(self, output: Any, counts: TargetCounts) -> None:
        """Add one batch, weighted by its targets."""
        found = dict(zip(TERMS, (int(counts.tokens), int(counts.rows)), strict=True))
        for name, mean in weighted_terms(output, counts, counts).items():
            self.sums[name] += float(mean) * found[name]
            self.counts[name] += found[name]

    def merged(self) -> EvaluationTotals:
        """The totals over all processes."""
        merged = EvaluationTotals()
        for one in gather_object([self]):
            merged.rows, merged.texts = merged.rows + one.rows, merged.texts + one.texts
            for name in TERMS:
                merged.sums[name] += one.sums[name]
                merged.counts[name] += one.counts[name]
        return merged

    def losses(self, weight: float) -> dict[str, float]:
        """The mean of each term and the joint loss; NaN, never 0, if nothing was scored."""
        att, ctc = (self.sums[name] / self.counts[name] if self.counts[name] else float("nan") for name in TERMS)
        if not self.counts["ctc"]:
            return {"loss": att}
        return {"loss": weight * ctc + (1.0 - weight) * att, "att_loss": att, "ctc_loss": ctc}

    def scores(self) -> dict[str, float]:
        """WER and CER, BLEU and chrF, or ROUGE, by the tasks of the rows."""
        return metric_values(*(zip(*self.texts, strict=True) if self.texts else ((), (), ())))


class EvaluationMixin(TrainerHost):
    """Evaluates by generating, every row once over all processes."""

    in_evaluation = False
    last_texts: Sequence[tuple[str, str, str]] = ()  # task, reference and prediction, of the last evaluation

    def evaluation_loop(
        self,
        dataloader: DataLoader,
        description: str,
        prediction_loss_only: bool | None = None,
        ignore_keys: list[str] | None = None,
        metric_key_prefix: str = "eval",
    ) -> EvalLoopOutput:
        """Replaces the stock loop, which weighs batches alike and repeats rows with many processes."""
        self.in_evaluation = True
        totals = self._totals(dataloader).merged()
        self.in_evaluation = False
        self.last_texts = totals.texts[:SAMPLES]
        weight = getattr(self.model.config, "ctc_weight", 0.0)
        metrics = {**totals.losses(weight), **totals.scores()}
        prefixed = {f"{metric_key_prefix}_{name}": value for name, value in metrics.items()}
        predictions: Any = None  # not gathered, which transformers' type does not allow for
        return EvalLoopOutput(predictions, label_ids=None, metrics=prefixed, num_samples=totals.rows)

    def _totals(self, dataloader: DataLoader) -> EvaluationTotals:
        totals = EvaluationTotals()
        self.model.eval()
        self.callback_handler.eval_dataloader = dataloader
        with full_model(self.model), torch.no_grad(), self.accelerator.autocast():
            for batch in dataloader:
                self._evaluate_batch(totals, batch)
                self.control = self.callback_handler.on_prediction_step(self.args, self.state, self.control)
        return totals

    def _evaluate_batch(self, totals: EvaluationTotals, batch: dict[str, Tensor]) -> None:
        self.largest_batch.update(batch)
        counts = count(self.bundle, batch)
        labels, tasks = self.bundle.labels_of(batch), self.bundle.tasks_of(batch)
        batch = self._prepare_inputs(batch)
        totals.rows += len(labels)
        totals.add(self.model(**batch), counts)
        if self.args.predict_with_generate:
            predictions = self.bundle.decode(self.bundle.generate(self.model, batch))
            totals.texts += zip(tasks, self.bundle.decode(labels), predictions, strict=True)


@contextmanager
def full_model(model: Any) -> Iterator[None]:
    """Evaluate the decoder too while training is CTC-only, so that the metrics stay comparable."""
    ctc_only = getattr(model, "ctc_only", False)
    if ctc_only:
        model.ctc_only = False
    try:
        yield
    finally:
        if ctc_only:
            model.ctc_only = True

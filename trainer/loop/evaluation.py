"""Evaluation: the loss over all tokens of the set, and what the model says, scored task by task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import gather_object
from transformers.trainer_utils import EvalLoopOutput

from trainer.evaluation.training_metrics import metric_values
from trainer.loop.loss import PARTS, TargetCounts, count, weighted_terms

if TYPE_CHECKING:
    from torch.utils.data import DataLoader
    from transformers import PreTrainedModel

    from trainer.models.bundle import Batch, ModelBundle

SAMPLES = 50  # texts of an evaluation that are kept for whoever looks at the run


@dataclass
class EvaluationTotals:
    """Sums over the set: batches of any size give the same mean."""

    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PARTS, 0))
    texts: list[tuple[str, str, str]] = field(default_factory=list)
    rows: int = 0

    def add(self, output: Any, counts: TargetCounts) -> None:
        """Add one batch, by what it holds."""
        found = dict(zip(PARTS, (counts.tokens, counts.rows), strict=True))
        for name, mean in weighted_terms(output, counts, counts).items():
            self.sums[name] += float(mean) * found[name]
            self.counts[name] += found[name]

    def merged(self) -> EvaluationTotals:
        """The same over all processes."""
        whole = EvaluationTotals()
        for one in gather_object([self]):
            whole.rows, whole.texts = whole.rows + one.rows, whole.texts + one.texts
            for name in PARTS:
                whole.sums[name] += one.sums[name]
                whole.counts[name] += one.counts[name]
        return whole

    def losses(self, weight: float) -> dict[str, float]:
        """The means, and their joint; NaN where nothing was scored, never 0."""
        att, ctc = (self.sums[name] / self.counts[name] if self.counts[name] else float("nan") for name in PARTS)
        if not self.counts["ctc"]:
            return {"loss": att}
        return {"loss": weight * ctc + (1.0 - weight) * att, "att_loss": att, "ctc_loss": ctc}

    def scores(self) -> dict[str, float]:
        """WER and CER, BLEU and chrF, or ROUGE, whatever the rows ask for."""
        return metric_values(*(zip(*self.texts, strict=True) if self.texts else ((), (), ())))


class EvaluationMixin:
    """For a transformers Trainer that has `parts`: evaluation by generating, every row once over all processes."""

    parts: ModelBundle
    in_evaluation = False
    last_texts: Sequence[tuple[str, str, str]] = ()  # task, reference and what was said, of the last evaluation

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
        tally = self._tally(dataloader).merged()
        self.in_evaluation = False
        self.last_texts = tally.texts[:SAMPLES]
        weight = getattr(self.model.config, "ctc_weight", 0.0)
        metrics = {**tally.losses(weight), **tally.scores()}
        named = {f"{metric_key_prefix}_{name}": value for name, value in metrics.items()}
        return EvalLoopOutput(predictions=None, label_ids=None, metrics=named, num_samples=tally.rows)

    def _tally(self, dataloader: DataLoader) -> EvaluationTotals:
        tally = EvaluationTotals()
        self.model.eval()
        self.callback_handler.eval_dataloader = dataloader
        with full_model(self.model), torch.no_grad(), self.accelerator.autocast():
            for batch in dataloader:
                self._evaluate_batch(tally, batch)
                self.control = self.callback_handler.on_prediction_step(self.args, self.state, self.control)
        return tally

    def _evaluate_batch(self, tally: EvaluationTotals, batch: Batch) -> None:
        self.largest.see(batch)
        counts = count(self.parts, batch)
        labels, tasks = self.parts.labels_of(batch), self.parts.tasks_of(batch)
        batch = self._prepare_inputs(batch)
        tally.rows += len(labels)
        tally.add(self.model(**batch), counts)
        if self.args.predict_with_generate:
            said = self.parts.decode(self.parts.generate(self.model, batch))
            tally.texts += zip(tasks, self.parts.decode(labels), said, strict=True)


@contextmanager
def full_model(model: PreTrainedModel) -> Iterator[None]:
    """While the encoder trains by CTC alone, the whole model is evaluated all the same: the figures stay comparable."""
    alone = getattr(model, "ctc_only", False)
    if alone:
        model.ctc_only = False
    try:
        yield
    finally:
        if alone:
            model.ctc_only = True

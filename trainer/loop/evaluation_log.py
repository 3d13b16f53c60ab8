"""What the log tells at an evaluation besides its figures: sample texts, texts that say nothing, what to expect."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from trainer.evaluation.metrics import LABELS, LOWER_IS_BETTER

if TYPE_CHECKING:
    from transformers import TrainerControl, TrainerState

    from trainer.loop.trainer import RunTrainer

log = logging.getLogger(__name__)

Texts = Sequence[tuple[str, str, str]]  # task, reference, prediction


@dataclass(frozen=True)
class ExpectedFigures:
    """Figures of a healthy fine-tune of a pretrained mT5 on summaries, at a step or after an epoch."""

    figures: str
    step: int | None = None
    epoch: int | None = None

    @property
    def when(self) -> str:
        return f"step {self.step}" if self.step else f"epoch {self.epoch}"

    def is_due(self, step: int, epoch: float, before: Mapping[str, float]) -> bool:
        """Whether this evaluation is the first one there, given the step and epoch of the one before."""
        if self.step is not None:
            return before.get("step", 0) < self.step <= step
        return before.get("epoch", 0.0) < (self.epoch or 0) <= epoch


EXPECTED = (
    ExpectedFigures("loss about 2.5, eval_loss about 2.9, ROUGE-1 about 25, ROUGE-2 about 12", step=500),
    ExpectedFigures("loss 2 to 3, eval_loss 3 to 4, ROUGE-1 25 to 35, texts with a meaning, not yet good", epoch=1),
    ExpectedFigures("loss 1.5 to 2, eval_loss 2.5 to 3, ROUGE-1 40 to 55, better texts", epoch=2),
    ExpectedFigures("loss 1.5 to 2, eval_loss 2 to 2.5, ROUGE-1 50 to 70, ROUGE-2 30 to 50, good texts", epoch=3),
)


class EvaluationLogCallback(TrainerCallback):
    """Logs a sample of every task at every evaluation; at the first one, metrics at their worst and empty texts."""

    def __init__(self, trainer: RunTrainer) -> None:
        self.trainer = trainer

    def on_evaluate(
        self, args: Any, state: TrainerState, control: TrainerControl, metrics: Any = None, **_: Any
    ) -> None:
        if not state.is_world_process_zero:
            return
        evaluations = [row for row in state.log_history if "eval_loss" in row and row["step"] < state.global_step]
        lines = [*sample_lines(self.trainer.last_texts)]
        if not evaluations:
            lines += worst_lines(metrics or {}, self.trainer.last_texts)
        model = self.trainer.config.model
        if model.type == "mt5" and model.name:
            before = evaluations[-1] if evaluations else {}
            lines += expectation_lines(state.global_step, state.epoch or 0.0, before)
        for line in lines:
            log.info("[EVAL] %s", line)


def sample_lines(texts: Texts) -> Iterator[str]:
    """The first row of each task, so that a row can be followed from one evaluation to the next."""
    for task in dict.fromkeys(task for task, _, _ in texts):
        _, reference, prediction = next(row for row in texts if row[0] == task)
        yield f"Sample prediction: {prediction or '(empty)'}"
        yield f"        reference: {reference}"


def worst_lines(metrics: Mapping[str, float], texts: Texts) -> Iterator[str]:
    """Metrics that are as bad as those of empty texts, and how many texts are empty."""
    empty = sum(not prediction.strip() for _, _, prediction in texts)
    plain = {name: metrics.get(f"eval_{name}") for name in LABELS}
    worst = [f"{LABELS[name]} {value:.2f}" for name, value in plain.items() if value is not None and _bad(name, value)]
    if worst:
        yield f"no better than empty texts at the first evaluation: {', '.join(worst)}; compare texts and references"
    if empty:
        yield f"{empty} of {len(texts)} generated texts are empty"


def _bad(name: str, value: float) -> bool:
    return value >= 100.0 if name in LOWER_IS_BETTER else value <= 0.0


def expectation_lines(step: int, epoch: float, before: Mapping[str, float]) -> Iterator[str]:
    """What a healthy run has by now."""
    for expected in EXPECTED:
        if expected.is_due(step, epoch, before):
            yield f"a healthy fine-tune of mT5 has at {expected.when}: {expected.figures}"

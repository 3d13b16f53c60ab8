"""The evaluation and the metric function of a transformers Trainer, by its own evaluation loop."""

from collections.abc import Callable
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.require import require
from probes.facts.core.types import SpecialIds
from probes.facts.first_step.types import FirstStep
from probes.facts.generation.metric_types import MetricTrial
from probes.facts.labels.types import LabelRow


@provider
def evaluate(trainer: Any, eval_batches: Any) -> Callable[[], dict[str, float]]:
    """The Trainer's evaluation of a few rows; it is called in a child, so that the Trainer does not notice."""
    from probes.facts.generation.trainer_evaluation import evaluate_of_trainer

    return evaluate_of_trainer(trainer, eval_batches)


@provider
def metric_trial(
    trainer: Any,
    eval_batches: Any,
    label_rows: tuple[LabelRow, ...],
    special_ids: SpecialIds,
    first_step: FirstStep,
    decode: Any = None,
    tokenizer: Any = None,
) -> MetricTrial:
    """The metric function on predictions whose worth is known, handed over as the Trainer hands them over."""
    from probes.facts.core.tokens import encoder_of
    from probes.facts.generation.trainer_evaluation import has_own_evaluate
    from probes.facts.generation.trainer_metric import TrainerMetricTrial, run_in_child

    require(trainer.compute_metrics is not None, "the Trainer has no compute_metrics")
    kind = type(trainer).__name__
    require(not has_own_evaluate(trainer), f"{kind}.evaluate chooses the input of compute_metrics itself")
    generates = getattr(trainer.args, "predict_with_generate", False)
    if generates and not getattr(getattr(trainer.model, "config", None), "is_encoder_decoder", False):
        raise NotApplicable("the model has no encoder: generated text includes its input")
    return run_in_child(
        TrainerMetricTrial(
            trainer=trainer,
            padding=next(iter(special_ids.padding), special_ids.end or 0),
            start=special_ids.start,
            shift=0 if generates else _shift(label_rows, first_step),
            decode=decode,
            encode=encoder_of(tokenizer) if callable(tokenizer) else None,
        )
    )


def _shift(rows: tuple[LabelRow, ...], step: FirstStep) -> int:
    """By how many positions the scores precede the labels that the loss compares them with."""
    from probes.facts.labels.label_shift import shift_of

    labels = [row.ids for row in rows if row.batch == 0]
    if max(map(len, labels), default=1) == 1:
        return 0
    found = shift_of(labels, step.loss_targets)
    if found is None:
        raise NotApplicable("the gradient does not show the target of the loss at each position")
    return found

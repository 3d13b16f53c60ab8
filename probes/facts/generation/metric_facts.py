"""What stands around generation: the run's own evaluation, its metric function, and how they repeat."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from diagnose.engine.traits import Trait
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import SpecialIds
from probes.facts.first_step.types import FirstStep
from probes.facts.generation.metric_types import MetricTrial
from probes.facts.generation.types import (
    EvaluationPair,
    FreeGeneration,
    GatheredLogits,
    GenerationRows,
    SeedRepeats,
    TeacherForcingGap,
)
from probes.facts.labels.types import LabelRow
from probes.facts.settings.types import RunSettings


@provider
def evaluation_twice(
    model: Any,
    evaluate: Any,
    first_step: FirstStep,
    special_ids: SpecialIds,
    metric_trial: MetricTrial | None = None,
) -> EvaluationPair:
    """The run's own evaluation, twice, in a child; after the metric's trial, which has imported what a metric needs."""
    from probes.facts.generation.repeat_evaluation import evaluate_twice

    require(first_step.failure is None, first_step.failure, Unavailable)
    seconds = first_step.forward_seconds + first_step.backward_seconds
    classes = first_step.loss.vocabulary if first_step.loss else None
    return evaluate_twice(model, evaluate, seconds, classes or 0, special_ids.end)


@provider
def seed_repeats(
    free_generation: FreeGeneration | None = None,
    evaluation_twice: EvaluationPair | None = None,
    evaluation_is_deterministic: Trait | None = None,
    evaluation_rows_are_fixed: Trait | None = None,
) -> SeedRepeats:
    """Generation and evaluation, each under two seeds.

    Figures of a model that draws masks or noise by design differ, and so do those of rows that are masked at random.
    Dropout in evaluation is no such design.
    """
    pair, traits = evaluation_twice, (evaluation_is_deterministic, evaluation_rows_are_fixed)
    by_design = any(trait is not None and not trait.holds for trait in traits)
    if pair is not None and (pair.failure is not None or (by_design and not pair.dropout)):
        evaluation_twice = None
        design = "the evaluation draws at random by design" if by_design else ""
        require(free_generation, design or "not given: generate or evaluate")
    require(free_generation or evaluation_twice, "not given: generate or evaluate")
    return SeedRepeats(free_generation, evaluation_twice)


@provider
def teacher_forcing_gap(
    pretrained_generation: FreeGeneration,
    generate: Any,
    batch: Any,
    generation_rows: GenerationRows,
    decoder_rows: tuple[LabelRow, ...],
    step_setup: StepSetup,
    tokenizer: Any = None,
) -> TeacherForcingGap:
    """The labels put first with those before them given, beside what was said freely to the same rows."""
    from probes.facts.generation.sources import context_of
    from probes.facts.generation.teacher_forcing import agreement_of

    context = context_of(generation_rows, step_setup.model, generate, batch, None, tokenizer)
    found = agreement_of(context, pretrained_generation, step_setup)
    return require(found, "logits and labels do not have the same positions")


@provider(priority=2)
def metric_trial(
    compute_metrics: Any,
    label_rows: tuple[LabelRow, ...],
    special_ids: SpecialIds,
    first_step: FirstStep,
    generate: Any = None,
    decode: Any = None,
    tokenizer: Any = None,
) -> MetricTrial:
    """The metric function on predictions whose worth is known; no model runs for it."""
    from probes.facts.generation.metric_inputs import trial_of

    if first_step.loss is None or not first_step.loss.vocabulary:
        raise NotApplicable("the forward pass has no logits of classes or tokens")
    trial = trial_of(compute_metrics, label_rows, special_ids, first_step.loss.vocabulary, generate, decode, tokenizer)
    alike = "the drawn labels are all equal: a perfect and a swapped prediction would be the same"
    return require(trial, alike).run()


@provider
def working_metric(metric_trial: MetricTrial) -> MetricTrial:
    require(metric_trial.failure is None, metric_trial.failure, Unavailable)
    return metric_trial


@provider
def gathered_logits(
    trainer: Any, run_settings: RunSettings, first_step: FirstStep, eval_dataset: Any
) -> GatheredLogits:
    """What the Trainer gathers where it has a metric function and does not generate."""
    from probes.facts.generation.sources import gathered_logits_of

    if trainer.compute_metrics is None or run_settings.predict_with_generate:
        raise NotApplicable("the evaluation keeps no logits")
    require(trainer.preprocess_logits_for_metrics is None, "preprocess_logits_for_metrics selects what is kept")
    if first_step.loss is None or first_step.loss.logits is None or not hasattr(eval_dataset, "__len__"):
        raise NotApplicable("the size of the logits is unknown")
    return gathered_logits_of(trainer, first_step.loss, len(eval_dataset))

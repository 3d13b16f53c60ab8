"""What settings do to this very run: they are tried, on its own items and its own first batch."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.require import require, require_items
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.first_step.types import Gradients
from probes.facts.settings.hf_arguments import RemovedColumns
from probes.facts.settings.types import CheckpointedStep, GenerationLimit, LabelLengths, RunSettings, SettingLocation

DEFAULT_LENGTH = 20  # tokens, what generate falls back to when nobody says


@provider
def evaluation_generates(run_settings: RunSettings) -> bool:
    require(run_settings.predict_with_generate, "the evaluation does not generate")
    return True


@provider(priority=2)
def generation_limit(evaluation_generates: bool, run_settings: RunSettings, model: Any) -> GenerationLimit:
    """max_new_tokens counts what is added, max_length also the start token."""
    config = getattr(model, "generation_config", None)
    new, whole = getattr(config, "max_new_tokens", None), getattr(config, "max_length", None)
    if run_settings.generation_max_length:
        return GenerationLimit(run_settings.generation_max_length - 1, run_settings.place("generation_max_length"))
    if isinstance(new, int):
        return GenerationLimit(new, SettingLocation("model.generation_config.max_new_tokens"))
    require(not evaluates_by_call(run_settings), "nothing is evaluated in training: evaluate(max_length=) may say it")
    said = (
        SettingLocation("model.generation_config.max_length")
        if isinstance(whole, int)
        else SettingLocation("the default of generate")
    )
    return GenerationLimit((whole if isinstance(whole, int) else DEFAULT_LENGTH) - 1, said)


def evaluates_by_call(settings: RunSettings) -> bool:
    """Whether a Trainer generates only where a script calls evaluate or predict, which take a length of their own."""
    return settings.eval_strategy == "no" and not settings.generation_max_length


@provider
def label_lengths(drawn_batches: tuple[Any, ...], labels_of: LabelsOf) -> LabelLengths:
    from probes.facts.core.batch_rows import rows_of
    from probes.facts.labels.label_rows import IGNORED

    rows = [row for batch in drawn_batches for row in rows_of(labels_of(batch))]
    lengths = sorted(sum(token != IGNORED for token in row) for row in rows)
    if not lengths or lengths[-1] < 2:
        raise NotApplicable("the labels are not token sequences")
    return LabelLengths(tuple(lengths))


@provider
def columns_are_removed(run_settings: RunSettings) -> bool:
    require(run_settings.remove_unused_columns, "the collator gets every column")
    return True


@provider
def removed_columns(columns_are_removed: bool, trainer: Any) -> RemovedColumns:
    from probes.facts.core.fork import CannotFork, ChildRaised
    from probes.facts.settings.removed_columns import columns_for, try_collate

    require_items(trainer.train_dataset, "the training set can only be run through")
    kept = columns_for(trainer)
    try:
        columns, error, line = try_collate(trainer.train_dataset, trainer.data_collator, kept)
    except (CannotFork, ChildRaised) as reason:
        raise NotApplicable(f"its items cannot be read: {reason}") from reason
    require(columns, "the items are not dicts")
    left, gone = ([name for name in columns if (name in kept) is here] for here in (True, False))
    return RemovedColumns(tuple(left), tuple(gone), type(trainer.model).__name__, error, line)


@provider
def gradient_checkpointing_is_on(run_settings: RunSettings) -> bool:
    require(run_settings.checkpointing, "gradient checkpointing is off")
    return True


@provider
def gradient_checkpointing_effect(
    gradient_checkpointing_is_on: bool, gradient_checkpointing_step: CheckpointedStep
) -> CheckpointedStep:
    """Asked in this order, nothing is built and no step is taken where checkpointing is off."""
    return gradient_checkpointing_step


@provider
def gradient_checkpointing_step(
    run_settings: RunSettings, step_setup: StepSetup, batch: Any, first_gradients: Gradients, processes: int = 1
) -> CheckpointedStep:
    """One step with checkpointing as it is not now, against the first step."""
    from probes.facts.settings.gradient_checkpointing import layer_drop, step_missing

    model = step_setup.model
    is_on = bool(getattr(model, "is_gradient_checkpointing", False))
    other, error = step_missing(step_setup, batch, {"use_reentrant": run_settings.reentrant}, not is_on)
    first = {row.name for row in first_gradients.rows if row.norm is None}
    lost = sorted(first - other if is_on else other - first)
    return CheckpointedStep(
        reentrant=run_settings.reentrant,
        error="" if is_on else error,
        lost=tuple(lost) if not error else (),
        trainable=len(first_gradients.rows),
        uses_cache=bool(getattr(getattr(model, "config", None), "use_cache", False)),
        layer_drop=layer_drop(model),
        processes=max(run_settings.processes, processes),
    )

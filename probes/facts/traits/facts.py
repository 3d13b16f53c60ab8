"""The traits that measurements assume. Each is shown on the run itself, or by what its author gave; else it is not."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from diagnose.engine.traits import Trait
from probes.facts.core.require import require, require_items
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.core.types import FirstLoss
from probes.facts.settings.types import RunSettings
from probes.facts.traits.loss_differences import adds_up, is_additive, is_close
from probes.facts.traits.types import TraitTrials

MOST = 0.9  # of the scored positions: a label that is no target is the lowest gradient of V by chance, 1 / V


@provider
def trait_trials(step_setup: StepSetup, batch: Any, first_loss: FirstLoss) -> TraitTrials:
    """A few rows of the first batch in evaluation mode."""
    from probes.facts.traits.trait_trials import run_trait_trials

    if first_loss.value - first_loss.value != 0.0:
        raise NotApplicable(f"the loss of the first batch is {first_loss.value}")
    return run_trait_trials(step_setup, batch)


@provider
def evaluation_is_repeatable(trait_trials: TraitTrials) -> Trait:
    """The same rows and random numbers give the same loss."""
    holds = is_close(trait_trials, trait_trials.loss, trait_trials.same_seed)
    return Trait(holds, f"two passes with the same seed: {trait_trials.loss:.6g} and {trait_trials.same_seed:.6g}")


@provider
def evaluation_is_deterministic(trait_trials: TraitTrials) -> Trait:
    """The same rows give the same loss, whatever the random numbers are."""
    holds = is_close(trait_trials, trait_trials.loss, trait_trials.other_seed)
    return Trait(holds, f"two passes with different seeds: {trait_trials.loss:.6g} and {trait_trials.other_seed:.6g}")


@provider
def rows_are_independent(trait_trials: TraitTrials, evaluation_is_deterministic: Trait) -> Trait:
    """The loss of a batch is the mean or the sum of the losses of its parts."""
    trials = trait_trials
    if not evaluation_is_deterministic.holds:
        return Trait(False, f"the evaluation is random: {evaluation_is_deterministic.evidence}")
    if trials.parts is None:
        return Trait(False, trials.cannot_split)
    first, second = trials.parts
    holds = adds_up(trials) or is_additive(trials)
    return Trait(holds, f"{trials.rows} rows: {trials.loss:.6g}; in two parts: {first:.6g} and {second:.6g}")


@provider
def labels_are_classes(trait_trials: TraitTrials) -> Trait:
    """The loss raises the score of the class that each label names."""
    trials = trait_trials
    if trials.ctc_calls:
        return Trait(trials.labels == "integer", f"{trials.ctc_calls} calls of ctc_loss; labels: {trials.labels}")
    if trials.label_agreement is None:
        return Trait(False, f"labels: {trials.labels}; no output has one logit per class at every label")
    return Trait(
        trials.label_agreement >= MOST, f"the loss raises the logit of the label at {trials.label_agreement:.0%}"
    )


@provider
def run_generates(generate: Any = None, run_settings: RunSettings | None = None) -> Trait:
    """The run's own evaluation generates text."""
    from probes.facts.generation.sources import generate_of_model

    if run_settings is not None and run_settings.predict_with_generate:
        return Trait(True, "predict_with_generate is on")
    if generate is not None and generate is not generate_of_model:
        return Trait(True, "generate is given")
    return Trait(False, "generate is not given, and predict_with_generate is off")


@provider
def labels_are_fixed(train_dataset: Any, collate: Any, labels_of: LabelsOf) -> Trait:
    """The same items have the same labels each time: the collator draws none of them, as one for masked tokens does."""
    from probes.facts.traits.batch_trials import trait_of_batches

    require_items(train_dataset)
    return trait_of_batches(train_dataset, collate, labels_of)


@provider
def evaluation_rows_are_fixed(eval_dataset: Any, eval_batches: Any) -> Trait:
    """The same items of the evaluation set make the same batch each time."""
    from probes.facts.traits.batch_trials import trait_of_batches

    require_items(eval_dataset, "the evaluation set has no items by index: it can only be iterated")
    collate = require(getattr(eval_batches, "collate_fn", None), "the collator of the evaluation set is unknown")
    return trait_of_batches(eval_dataset, collate, lambda batch: batch)

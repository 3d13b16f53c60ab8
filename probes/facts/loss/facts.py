"""The loss under small changes of its batch, accumulated steps, and rows of extreme length."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.batches.types import BatchScan, PickedBatch
from probes.facts.core.require import require, require_items
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import FirstLoss
from probes.facts.corpus.types import Corpus
from probes.facts.first_step.types import Gradients
from probes.facts.loss.later_types import LaterBatch
from probes.facts.loss.types import AccumulationError, ExtremeBatches, FramesUsed, LossTrials
from probes.facts.settings.types import RunSettings

BATCHES = 4  # of an accumulated step
CANDIDATES = 48  # items whose size is measured where no manifest tells it


@provider
def perturbed_losses(step_setup: StepSetup, batch: Any, first_loss: FirstLoss) -> LossTrials:
    """A few rows, and the same with one thing changed; all in one observed block."""
    from probes.facts.core.batch_rows import CannotSplitBatch
    from probes.facts.loss.perturbed_batches import perturb_batch

    _require_a_loss(first_loss)
    try:
        trials = perturb_batch(step_setup, batch)
    except CannotSplitBatch:
        raise
    except Exception as reason:  # the whole batch ran: what a part of it raises is no fault of the run
        raise NotApplicable(f"two rows of the batch do not run alone: {type(reason).__name__}") from reason
    if not trials.value or trials.value - trials.value != 0.0:
        raise NotApplicable(f"two rows of the batch have a loss of {trials.value}")
    return trials


@provider
def accumulation(
    update_setup: StepSetup,
    batch: Any,
    first_gradients: Gradients,
    accumulated_step: Any,
    scheduler: Any = None,
    run_settings: RunSettings | None = None,
    train_dataset: Any = None,
    collate: Any = None,
) -> AccumulationError:
    """Four batches through the run's own accumulated step, and the same rows at once."""
    from probes.facts.loss.accumulation import accumulate, split_batch

    _require_gradients(first_gradients)
    whole, parts, share = split_batch(batch, update_setup.labels_of, BATCHES, train_dataset, collate)
    found = accumulate(update_setup, accumulated_step, whole, parts, share, scheduler)
    return replace(found, configured=run_settings.accumulation if run_settings else None)


@provider
def extreme_batches(
    step_setup: StepSetup,
    batch: Any,
    first_gradients: Gradients,
    train_dataset: Any,
    collate: Any,
    train_manifest: Corpus | None = None,
    train_batches: Any = None,
) -> ExtremeBatches:
    """The longest rows, as many as fill a batch, the two shortest, and the shortest beside the longest."""
    from probes.facts.core.batch_rows import batch_room
    from probes.facts.core.fork import ChildRaised
    from probes.facts.loss.extreme_batches import pick, run_extremes

    _require_gradients(first_gradients)
    require_items(train_dataset)
    read = step_setup.labels_of
    try:
        rows, most = batch_room(batch, read, train_dataset, collate, train_batches)
        picked = pick(train_dataset, _candidates(train_dataset, train_manifest, rows), collate, read, rows, most)
    except ChildRaised as reason:
        raise Unavailable(str(reason)) from reason
    require(picked, "the collator returns all rows with the same size")
    return run_extremes(step_setup, picked, batch)


@provider(may_be_empty=True)
def later_batches(
    update_setup: StepSetup,
    batch: Any,
    batch_scan: BatchScan,
    first_gradients: Gradients | None = None,
    bad_items: tuple[PickedBatch, ...] = (),
    training_step: Any = None,
    scheduler: Any = None,
) -> tuple[LaterBatch, ...]:
    """Batches that stand out among many, run forwards and backwards; by the user's step where only that has a loss."""
    from probes.facts.loss.later_batches import run_by_step, run_later

    picked = (*batch_scan.picked, *bad_items)
    if first_gradients is not None and not _are_finite(first_gradients):
        return ()
    try:
        require(first_gradients is not None, "the first batch has no gradients")
        return run_later(update_setup, picked, batch)
    except NotApplicable:  # the model's output holds no loss
        if training_step is None:
            raise
        return run_by_step(update_setup, picked, batch, training_step, scheduler)


@provider
def encoder_frames(extreme_batches: ExtremeBatches) -> tuple[FramesUsed, ...]:
    return require(extreme_batches.frames, "no encoder was found whose frames a decoder or a CTC loss reads")


def _candidates(dataset: Any, manifest: Corpus | None, rows: int) -> Sequence[int]:
    """By the manifest the longest and the shortest of all; else evenly spread."""
    from probes.facts.core.numbers import evenly_spaced

    total = len(dataset)
    told = manifest.rows if manifest and len(manifest.rows) == total else ()
    lengths = [(row.seconds or 0.0, sum(map(len, row.texts.values()))) for row in told]
    if not lengths or lengths[0] == (0.0, 0):
        return evenly_spaced(range(total), min(total, CANDIDATES))
    order = sorted(range(total), key=lambda number: lengths[number])
    wordy = max(range(total), key=lambda number: lengths[number][1])
    return sorted({*order[:2], *order[-rows:], wordy})


def _require_a_loss(first_loss: FirstLoss) -> None:
    """What a broken first loss leads to is told there."""
    if not first_loss.value or first_loss.value - first_loss.value != 0.0:
        raise NotApplicable(f"the loss of the first batch is {first_loss.value}")


def _require_gradients(first: Gradients) -> None:
    require(_are_finite(first), "the first step has no finite gradient other than 0")


def _are_finite(first: Gradients) -> bool:
    return bool(first.norm) and all(row.finite for row in first.rows)

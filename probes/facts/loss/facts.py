"""The loss under small changes of its batch, accumulated steps, and rows of extreme length."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.types import FirstLoss
from probes.facts.corpus.types import Corpus
from probes.facts.first_step.types import Gradients
from probes.facts.hf_trainer.mutable_state import mutable_state_of
from probes.facts.loss.types import AccumulationError, ExtremeBatches, FramesUsed, LossTrials
from probes.facts.settings.types import RunSettings

if TYPE_CHECKING:
    from torch.nn import Module

BATCHES = 4  # of an accumulated step
CANDIDATES = 48  # items whose size is measured where no manifest tells it


@provider
def perturbed_losses(
    model: "Module",
    batch: Any,
    first_loss: FirstLoss,
    compute_loss: Any = None,
    labels_of: Any = None,
    inputs_of: Any = None,
    trainer: Any = None,
) -> LossTrials:
    """A few rows, and the same with one thing changed; all in one observed block."""
    from probes.facts.core.batch_rows import CannotSplitBatch
    from probes.facts.core.model_output import labels_of_batch, loss_of_output
    from probes.facts.loss.perturbed_batches import perturb_batch

    _require_a_loss(first_loss)
    loss, read = compute_loss or loss_of_output, labels_of or labels_of_batch
    try:
        trials = perturb_batch(model, batch, loss, read, inputs_of, mutable_state_of(trainer))
    except CannotSplitBatch as reason:
        raise NotApplicable(str(reason)) from reason
    except Exception as reason:  # the whole batch ran: what a part of it raises is no fault of the run
        raise NotApplicable(f"two rows of the batch do not run by themselves: {type(reason).__name__}") from reason
    if not trials.value or trials.value - trials.value != 0.0:
        raise NotApplicable(f"two rows of the batch have a loss of {trials.value}")
    return trials


@provider
def accumulation(
    model: "Module",
    batch: Any,
    first_gradients: Gradients,
    accumulated_step: Any,
    compute_loss: Any = None,
    labels_of: Any = None,
    optimizer: Any = None,
    scheduler: Any = None,
    grad_scaler: Any = None,
    trainer: Any = None,
    run_settings: RunSettings | None = None,
    train_dataset: Any = None,
    collate: Any = None,
) -> AccumulationError:
    """Four batches through the run's own accumulated step, and the same rows at once."""
    from probes.facts.core.batch_rows import CannotSplitBatch
    from probes.facts.core.model_output import labels_of_batch, loss_of_output
    from probes.facts.loss.accumulation import accumulate, split_batch

    _require_gradients(first_gradients)
    try:
        read = labels_of or labels_of_batch
        whole, parts, share = split_batch(batch, read, BATCHES, train_dataset, collate)
    except CannotSplitBatch as reason:
        raise NotApplicable(str(reason)) from reason
    loss, others = compute_loss or loss_of_output, (scheduler, grad_scaler, *mutable_state_of(trainer))
    found = accumulate(model, accumulated_step, loss, whole, parts, share, optimizer, others)
    return replace(found, configured=run_settings.accumulation if run_settings else None)


@provider
def extreme_batches(
    model: "Module",
    batch: Any,
    first_gradients: Gradients,
    train_dataset: Any,
    collate: Any,
    compute_loss: Any = None,
    labels_of: Any = None,
    train_manifest: Corpus | None = None,
    train_batches: Any = None,
    trainer: Any = None,
) -> ExtremeBatches:
    """The longest rows, as many as fill a batch, the two shortest, and the shortest beside the longest."""
    from probes.facts.core.batch_rows import CannotSplitBatch, batch_room
    from probes.facts.core.fork import ChildRaised
    from probes.facts.core.model_output import labels_of_batch, loss_of_output
    from probes.facts.loss.extreme_batches import pick, run_extremes

    _require_gradients(first_gradients)
    _require_items(train_dataset)
    read = labels_of or labels_of_batch
    try:
        rows, most = batch_room(batch, read, train_dataset, collate, train_batches)
        picked = pick(train_dataset, _candidates(train_dataset, train_manifest, rows), collate, read, rows, most)
    except CannotSplitBatch as reason:
        raise NotApplicable(str(reason)) from reason
    except ChildRaised as reason:
        raise Unavailable(str(reason)) from reason
    if not picked:
        raise NotApplicable("all rows come out of the collator in one size")
    return run_extremes(model, picked, compute_loss or loss_of_output, batch, mutable_state_of(trainer))


@provider
def encoder_frames(extreme_batches: ExtremeBatches) -> tuple[FramesUsed, ...]:
    if not extreme_batches.frames:
        raise NotApplicable("no encoder was seen whose frames a decoder or a CTC loss reads")
    return extreme_batches.frames


def _candidates(dataset: Any, manifest: Corpus | None, rows: int) -> Sequence[int]:
    """By the manifest the longest and the shortest of all; else evenly spread."""
    from probes.facts.core.evenly_spaced import evenly_spaced

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


def _require_items(dataset: Any) -> None:
    if not hasattr(dataset, "__getitem__") or not hasattr(dataset, "__len__"):
        raise NotApplicable("the training set has no items by number: it can only be run through")


def _require_gradients(first: Gradients) -> None:
    if not first.norm or not all(row.finite for row in first.rows):
        raise NotApplicable("the first step has no finite gradient other than 0")

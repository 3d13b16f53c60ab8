"""What the model reads: the scale of its features, in training and in evaluation."""

from collections.abc import Callable
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.audio.types import RowWaveform
from probes.facts.core.require import Value, has_items, require
from probes.facts.features.types import Features, Preprocessing, SilentBatch, SplitStatistics


@provider
def train_features(drawn_batches: tuple[Any, ...], inputs_of: Any = None, model: Any = None) -> Features:
    """Row by row, of the batches that were drawn."""
    from dataclasses import replace

    from probes.facts.features.batch_features import features_of, first_layer

    found = features_of(drawn_batches, inputs_of)
    return replace(found, first_layer=first_layer(model, found.width))


@provider
def preprocessing(train_batches: Any, eval_batches: Any, inputs_of: Any = None) -> Preprocessing:
    """Items of both sets, each through its own collator."""
    from probes.facts.core.batches import unwrap_loader
    from probes.facts.dataloader.worker_randomness import is_map_style
    from probes.facts.features.train_vs_eval import compare

    train, evaluation = unwrap_loader(train_batches), unwrap_loader(eval_batches)
    if not is_map_style(train) or not is_map_style(evaluation):
        raise NotApplicable("train_batches and eval_batches are not DataLoaders over indexed datasets")
    if not len(train.dataset) or not len(evaluation.dataset):
        raise Unavailable("one of the sets is empty")
    return _in_child(lambda: compare(train, evaluation, inputs_of))


@provider
def silent_clip_batch(collate: Any, train_dataset: Any, waveforms: tuple[RowWaveform, ...] = ()) -> SilentBatch:
    """A clip of zeros through the collator."""
    from dataclasses import replace

    from probes.facts.features.train_vs_eval import collate_silence

    require(hasattr(train_dataset, "__getitem__"), "the training set has no items by index")
    tried = _in_child(lambda: collate_silence(collate, train_dataset))
    found = require(tried, "the items have no waveform under a known key")
    return replace(found, silent_clips=sum(heard.wave.rms == 0 for heard in waveforms))


@provider
def scale_change(collate: Any, train_dataset: Any) -> float:
    """How far the model's input changes when samples of 16 bits are scaled to 1; 0 where the collator does it."""
    from probes.facts.features.train_vs_eval import collate_scaled

    require(hasattr(train_dataset, "__getitem__"), "the training set has no items by index")
    change = _in_child(lambda: collate_scaled(collate, train_dataset))
    if change is None:
        raise NotApplicable("the samples are not int16, or the collator is random")
    return change


@provider
def split_statistics(train_dataset: Any, eval_dataset: Any) -> SplitStatistics:
    """Of sets whose items are vectors of one size."""
    from probes.facts.features.set_statistics import moments_of

    require(has_items(train_dataset, eval_dataset), "the sets have no length and no items by index")
    return _in_child(lambda: moments_of(train_dataset, eval_dataset))


def _in_child(work: Callable[[], Value]) -> Value:
    """What the user's own collator or dataset raises on a question of ours is no finding: it is skipped, and told."""
    from probes.facts.core.fork import CannotFork, ChildRaised

    try:
        return work()
    except (CannotFork, ChildRaised) as reason:
        ours = getattr(reason, "error", "") == "NotApplicable"
        raise NotApplicable(getattr(reason, "message", "") if ours else f"it could not be tried: {reason}") from reason

"""The audio files of the sampled rows, decoded; what the run expects of them."""

from collections.abc import Mapping
from typing import Any

from diagnose.facts import NotApplicable
from probes.measured.audio import AudioLimits, Clips, Heard, Loaded, LoadedItems
from probes.measured.corpus import CorpusRow, Sample


def clips(audio_rows: tuple[CorpusRow, ...], sampled_rows: Sample) -> Clips:
    """Header, wholeness and samples of each file in the sample."""
    from probes.instruments.audio_files import look_at

    return Clips(look_at([row for row in sampled_rows.rows if row.audio]), len(audio_rows))


def waves(
    clips: Clips | None = None, train_items: LoadedItems | None = None, eval_items: LoadedItems | None = None
) -> tuple[Heard, ...]:
    """Samples of files, and of the items that datasets make of them."""
    heard = [Heard(clip.row, wave) for clip, wave in clips.heard] if clips else []
    for items in (train_items, eval_items):
        heard += [Heard(item.row, item.wave, loaded=True) for item in items.rows if item.wave] if items else []
    if not heard:
        raise NotApplicable("there is no audio: neither files that could be read nor waveforms in the datasets")
    return tuple(heard)


def loaded_clips(train_items: LoadedItems, eval_items: LoadedItems | None = None) -> tuple[Loaded, ...]:
    """Items of the datasets that hold a waveform."""
    every = train_items.rows + (eval_items.rows if eval_items else ())
    loaded = tuple(item for item in every if item.wave)
    if not loaded:
        raise NotApplicable("the items hold no waveform under a name that is known")
    return loaded


def audio_limits(feature_extractor: Any = None, configured_audio: Mapping[str, float] | None = None) -> AudioLimits:
    """By the configuration; else by the feature extractor: its rate, and its window where what is longer is cut."""
    rate = getattr(feature_extractor, "sampling_rate", None)
    window = getattr(feature_extractor, "chunk_length", None)
    told = dict(configured_audio or {})
    if not told and not isinstance(rate, int):
        raise NotApplicable("nobody says which audio the model expects: give feature_extractor")
    return AudioLimits(
        sample_rate=int(told["sample_rate"]) if "sample_rate" in told else rate,
        min_seconds=told.get("min_seconds"),
        max_seconds=told.get("max_seconds", float(window) if isinstance(window, int | float) else None),
        source="the configuration" if told else type(feature_extractor).__name__,
    )

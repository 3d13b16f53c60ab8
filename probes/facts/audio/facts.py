"""The audio files of the sampled rows, decoded; what the run expects of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from diagnose.common.provider import provider
from probes.facts.audio.file_record import FileRecords
from probes.facts.audio.types import (
    AudioFile,
    AudioFiles,
    AudioLimits,
    LoadedItem,
    LoadedItems,
    RowWaveform,
    UsedAudio,
)
from probes.facts.core.require import require
from probes.facts.corpus.types import Corpus, CorpusRow

DESCRIBED = ("sample_rate", "sampling_rate", "sr", "channels", "num_channels", "n_channels")
LEAST = 20  # clips on each side


@provider
def audio_files(
    audio_rows: Sequence[CorpusRow], sampled_rows: Corpus, recorded_files: FileRecords | None = None
) -> AudioFiles:
    """Header, wholeness and samples of each file in the sample; in an audit, of all."""
    from probes.facts.audio.recorded_files import RecordedFiles, decode_unknown

    if recorded_files is not None:
        return AudioFiles(RecordedFiles(audio_rows, recorded_files.records), len(audio_rows))
    return AudioFiles(decode_unknown([row for row in sampled_rows.rows if row.audio]), len(audio_rows))


@provider
def audio_files_with_duration(audio_files: AudioFiles) -> AudioFiles:
    """Those whose row says how long they last."""
    return _those(audio_files, [clip for clip in audio_files.rows if clip.row.seconds], "no row has a duration")


@provider
def audio_files_with_metadata(audio_files: AudioFiles) -> AudioFiles:
    """Those whose row says their sample rate or channels."""
    named = [clip for clip in audio_files.rows if set(clip.row.tags) & set(DESCRIBED)]
    return _those(audio_files, named, "no column has a sample rate or channels")


@provider
def audio_files_of_both_splits(audio_files: AudioFiles, eval_corpus: Corpus) -> AudioFiles:
    """Where there are enough of training and evaluation to tell."""
    counts = [
        sum(clip.row.split == split and bool(clip.wave) for clip in audio_files.rows) for split in ("train", "eval")
    ]
    few = f"{min(counts)} clips in one split are too few, expected at least {LEAST}"
    return _those(audio_files, audio_files.rows if min(counts) >= LEAST else (), few)


def _those(clips: AudioFiles, rows: Sequence[AudioFile], otherwise: str) -> AudioFiles:
    require(rows, otherwise)
    return AudioFiles(tuple(rows), clips.total)


@provider
def audio_used(
    audio_files: AudioFiles, audio_limits: AudioLimits | None = None, loaded_waveforms: tuple[LoadedItem, ...] = ()
) -> tuple[UsedAudio, ...]:
    """How much of each clip reaches the model: as it was loaded, or up to the limit."""
    most = audio_limits.max_seconds if audio_limits else None
    found = {
        item.row.where: UsedAudio(item.row, item.file_seconds, item.samples / item.rate)
        for item in loaded_waveforms
        if item.rate and item.file_seconds
    }
    for clip in audio_files.rows:
        if most and clip.header and clip.header.seconds > 0:
            kept = min(most, clip.header.seconds)
            known = found.get(clip.row.where)
            found[clip.row.where] = UsedAudio(clip.row, clip.header.seconds, min(kept, known.used if known else kept))
    require(found, "the maximum audio length of the model is unknown")
    return tuple(found.values())


@provider
def waveforms(
    audio_files: AudioFiles | None = None, train_items: LoadedItems | None = None, eval_items: LoadedItems | None = None
) -> tuple[RowWaveform, ...]:
    """Samples of files, and of the items that datasets make of them."""
    heard = [RowWaveform(clip.row, wave) for clip, wave in audio_files.decoded] if audio_files else []
    for items in (train_items, eval_items):
        heard += [RowWaveform(item.row, item.wave, loaded=True) for item in items.rows if item.wave] if items else []
    return tuple(require(heard, "there is no audio: no readable files and no waveforms in the datasets"))


@provider
def loaded_waveforms(train_items: LoadedItems, eval_items: LoadedItems | None = None) -> tuple[LoadedItem, ...]:
    """Items of the datasets that hold a waveform."""
    every = train_items.rows + (eval_items.rows if eval_items else ())
    return require(tuple(item for item in every if item.wave), "the items have no waveform under a known key")


@provider
def audio_limits(feature_extractor: Any = None, configured_audio: Mapping[str, float] | None = None) -> AudioLimits:
    """By the configuration; else by the feature extractor: its rate, and its window where what is longer is cut."""
    rate = getattr(feature_extractor, "sampling_rate", None)
    window = getattr(feature_extractor, "chunk_length", None)
    told = dict(configured_audio or {})
    require(told or isinstance(rate, int), "the expected audio format is unknown: pass feature_extractor")
    return AudioLimits(
        sample_rate=int(told["sample_rate"]) if "sample_rate" in told else rate,
        min_seconds=told.get("min_seconds"),
        max_seconds=told.get("max_seconds", float(window) if isinstance(window, int | float) else None),
        source="the configuration" if told else type(feature_extractor).__name__,
    )

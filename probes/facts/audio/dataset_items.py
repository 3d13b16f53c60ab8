"""Reads items of a dataset in a child and keeps only what was measured: texts, and the waveform in numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from probes.facts.audio.decode_files import seconds_of
from probes.facts.audio.types import LoadedItem, WaveformStats
from probes.facts.audio.waveform_stats import measure
from probes.facts.core.fork import ChildRaised, run_apart
from probes.facts.core.numbers import as_array
from probes.facts.core.progress_log import log_progress
from probes.facts.corpus.manifest_rows import AUDIO, read_rows
from probes.facts.corpus.types import CorpusRow

WAVEFORMS = (*AUDIO, "waveform", "wave", "speech", "input_values", "array")
CHANNELS = 8  # 7.1 surround; features have 13 bands and more
SHORTEST = 400  # 25 ms at 16 kHz: one analysis window
RATES = ("sampling_rate", "sample_rate")
SECONDS = 24 * 3600.0  # whoever asks for everything waits for it


def read_items(
    dataset: Any, numbers: Sequence[int], split: str, known: Sequence[CorpusRow] = ()
) -> tuple[LoadedItem, ...]:
    """The items of these numbers. `known` are the manifest's rows, where they are in the dataset's order."""

    def work() -> list[LoadedItem]:
        return list(log_progress(_read(dataset, numbers, split, known), len(numbers), f"items of the {split} set read"))

    try:
        return tuple(run_apart(work, dataset, seconds=SECONDS))
    except ChildRaised as error:
        row = CorpusRow(f"{split}_dataset", split)
        return (LoadedItem(row, error=f"{error.error}: {error.message}", line=error.line),)


def _read(dataset: Any, numbers: Sequence[int], split: str, known: Sequence[CorpusRow]) -> Iterator[LoadedItem]:
    for number in numbers:
        place = known[number] if known else CorpusRow(f"{split}_dataset[{number}]", split)
        try:
            item = dataset[number]
        except Exception as error:
            told = ChildRaised.of(error)
            yield LoadedItem(place, error=f"{told.error}: {told.message}"[:400], line=told.line)
            continue
        yield _loaded(item, place, bool(known))


def _loaded(item: Any, place: CorpusRow, known: bool) -> LoadedItem:
    if not isinstance(item, Mapping):
        return LoadedItem(place)
    samples, rate = waveform_of(item)
    wave = None if samples is None else stats_of_samples(samples, rate or 16_000)
    if known:
        return LoadedItem(place, wave, rate, file_seconds=seconds_of(place.path) if place.path and wave else None)
    texts = {key: value for key, value in item.items() if isinstance(value, str | int | float)}
    (row,) = read_rows([{"duration": wave.seconds if wave else "", **texts, "id": place.where}], None, place.split)
    return LoadedItem(row, wave, rate)


def stats_of_samples(samples: np.ndarray, rate: int) -> WaveformStats:
    """The longer of two axes counts as time."""
    flat = samples if samples.ndim == 1 else samples.reshape(-1, samples.shape[-1])
    blocks = flat if flat.ndim == 1 or flat.shape[0] >= flat.shape[1] else flat.T
    return measure([blocks.astype(np.float32)], rate, tuple(samples.shape))


def waveform_of(item: Mapping[str, Any]) -> tuple[np.ndarray | None, int | None]:
    """The samples of an item and their rate, in any of the forms that datasets use."""
    for name in WAVEFORMS:
        value, rate = item.get(name), next((item[key] for key in RATES if key in item), None)
        decode = getattr(value, "get_all_samples", None)
        if decode is not None:  # a decoder of torchcodec, as `datasets` gives it
            decoded = decode()
            value, rate = decoded.data, decoded.sample_rate
        if isinstance(value, Mapping) and "array" in value:
            value, rate = value["array"], next((value[key] for key in RATES if key in value), rate)
        samples = _numbers(value)
        if samples is not None and _is_waveform(samples, rate):
            return samples, int(rate) if isinstance(rate, int | float) else None
    return None, None


def _is_waveform(samples: np.ndarray, rate: Any) -> bool:
    """Features have an axis of bands beside time; and what has no rate may be an embedding, if it is so short."""
    has_channels = samples.ndim == 1 or min(samples.shape) <= CHANNELS
    return has_channels and (rate is not None or max(samples.shape) >= SHORTEST)


def _numbers(value: Any) -> np.ndarray | None:
    samples = as_array(value)
    real = samples is not None and samples.dtype.kind in "fiu" and samples.ndim in (1, 2) and samples.size
    return samples if real else None

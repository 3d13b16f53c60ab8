"""Files with the same sound: sample for sample, or as a copy that was resampled, compressed or cut at its ends."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np
import soundfile

from probes.facts.audio.file_record import unpack
from probes.facts.audio.open_files import AudioProblem, opened
from probes.facts.audio.types import WaveformStats
from probes.facts.core.fork import run_polars
from probes.facts.core.progress_log import log_progress

SHARED, SHARE = 2, 0.15  # marks that two copies share at least, and of those of the one that has fewer
COMMON = 50  # sounds that may share a mark before it tells nothing
COMPARED = 3  # of the sounds that share marks with one, those that share most
RATE = 4000  # at which two sounds are compared; every format and rate keeps what is below half of it
ALIKE = 0.95  # correlation of two copies at the least; a text with one word more than another has less
OVERLAP = 0.5  # of the longer one
LONGEST = 120.0  # seconds that are compared


def same_sounds(records: Mapping[str, bytes]) -> dict[str, tuple[str, bool]]:
    """For each file whose sound an earlier one has: that file, and whether every sample is the same."""
    waves = {name: wave for name, record in records.items() if (wave := unpack(record).wave) and wave.voiced_seconds}
    first: dict[bytes, str] = {}
    same = {name: (first.setdefault(wave.sound, name), True) for name, wave in waves.items()}
    single = {name: wave for name, wave in waves.items() if same[name][0] == name}
    for name, other in _copies(single):
        same[name] = (same[other][0], False)
    resolved = {name: (_root(name, same), same[name][1] and same[same[name][0]][0] == same[name][0]) for name in same}
    return {name: found for name, found in resolved.items() if found[0] != name}


def _root(name: str, same: Mapping[str, tuple[str, bool]]) -> str:
    while same[name][0] != name:
        name = same[name][0]
    return name


def _copies(waves: Mapping[str, WaveformStats]) -> Iterator[tuple[str, str]]:
    """A file, and an earlier one of which it is a copy."""
    names = list(waves)
    candidates = run_polars(lambda: _sharing_marks([wave.marks for wave in waves.values()]))
    copies: dict[int, int] = {}
    for later, earlier in log_progress(candidates, len(candidates), "pairs of sounds compared"):
        if later not in copies and are_copies(names[later], names[earlier]):
            copies[later] = earlier
    return ((names[later], names[earlier]) for later, earlier in copies.items())


def _sharing_marks(marks: list[bytes]) -> list[tuple[int, int]]:
    """Pairs of numbers, the later one first, that share enough marks; those that share most come first."""
    import polars as pl

    values = np.frombuffer(b"".join(marks), "<u4")
    counts = np.array([len(own) // 4 for own in marks], np.uint32)
    sound = np.repeat(np.arange(len(marks), dtype=np.uint32), counts)
    table = pl.LazyFrame({"mark": values, "sound": sound})
    rare = table.filter(pl.len().over("mark").is_between(2, COMMON))
    least = pl.min_horizontal(pl.col("later", "sound").replace_strict(dict(enumerate(counts.tolist())), default=0))
    pairs = (
        rare.join(rare.rename({"sound": "later"}), on="mark")
        .filter(pl.col("sound") < pl.col("later"))
        .group_by("later", "sound")
        .len()
        .filter(pl.col("len") >= SHARED)
        .with_columns(least=least)
        .filter(pl.col("len") >= SHARE * pl.col("least"))
        .sort(["later", "len", "sound"], descending=[False, True, False])
        .group_by("later", maintain_order=True)
        .head(COMPARED)
    )
    return list(pairs.select("later", "sound").collect().iter_rows())


def are_copies(one: str, other: str) -> bool:
    """Whether their samples correlate, at some shift, over most of both."""
    first, second = _samples(one), _samples(other)
    if min(len(first), len(second)) < OVERLAP * max(len(first), len(second)) or not len(first) or not len(second):
        return False
    size = 1 << (len(first) + len(second) - 1).bit_length()
    product = np.fft.rfft(first, size) * np.conj(np.fft.rfft(second, size))
    shift = int(np.abs(np.fft.irfft(product, size)).argmax())
    shift -= size if shift > size // 2 else 0
    ours, theirs = (first[shift:], second) if shift >= 0 else (first, second[-shift:])
    common = min(len(ours), len(theirs))
    scale = float(np.sqrt(np.square(first).sum() * np.square(second).sum()))  # of all: what only one has counts
    return (
        common >= OVERLAP * max(len(first), len(second)) and abs(float(ours[:common] @ theirs[:common])) > ALIKE * scale
    )


@lru_cache(maxsize=64)
def _samples(name: str) -> np.ndarray:
    """At RATE, one channel; empty where it cannot be read."""
    try:
        with opened(name) as (handle, _), soundfile.SoundFile(handle, closefd=False) as sound:
            read = sound.read(int(LONGEST * sound.samplerate), dtype="float32", always_2d=True)
            rate = sound.samplerate
    except (AudioProblem, soundfile.LibsndfileError, OSError, ValueError, RuntimeError):
        return np.zeros(0)
    mono = np.nan_to_num(read.mean(axis=1), posinf=0.0, neginf=0.0)
    count = round(len(mono) * RATE / rate)
    return resampled(mono - mono.mean(), count) if count and len(mono) else np.zeros(0)


def resampled(samples: np.ndarray, count: int) -> np.ndarray:
    """The same sound in so many samples, by its spectrum; the highest tenth is left out."""
    spectrum = np.fft.rfft(samples)[: count // 2 + 1]
    spectrum[int(len(spectrum) * 0.9) :] = 0
    return np.asarray(np.fft.irfft(spectrum, count))

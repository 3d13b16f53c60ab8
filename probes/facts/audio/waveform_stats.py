"""Measures samples: peak, mean, flat tops, silence, what is not finite. In blocks, so that an hour needs no memory."""

import hashlib
from collections import Counter
from collections.abc import Iterable

import numpy as np

from probes.facts.audio.sound_marks import marks_of
from probes.facts.audio.types import WaveformStats

RUN = 3  # equal neighbours at the very top: by chance about never in a sound that moves, always where it is cut off
FRAME = 0.02  # seconds
VOICED = 2.0**-12  # from lowest to highest in a frame: eight steps of 16 bits; dither has two or three, a room has more
FULL = 32768  # 16-bit samples are read as they are, and scaled once at the end
STRIDE = 61  # of the samples, so many are left out between two that make a digest; the extremes of all frames do, too


def measure(blocks: Iterable[np.ndarray], rate: int, shape: tuple[int, ...] = (), marked: bool = True) -> WaveformStats:
    """Blocks are [samples] or [samples, channels], of one kind; whole numbers of frames, but for the last one."""
    total = _WaveformTotals(rate)
    dtype = ""
    for block in blocks:
        dtype = str(block.dtype)
        total.add(block)
    return total.wave(rate, shape or (total.frames,), dtype, marked)


def frame_width(rate: int) -> int:
    """Samples of a frame of 20 ms."""
    return max(2, round(FRAME * rate))


class _WaveformTotals:
    """What is known after some blocks."""

    def __init__(self, rate: int) -> None:
        self.width = frame_width(rate)
        self.frames = self.bad = self.voiced = 0
        self.first_bad: int | None = None
        self.sum = self.squares = 0.0
        self.loudest = np.zeros(1)
        self.tops: Counter[float] = Counter()
        self.low, self.high = np.inf, -np.inf
        self.energies: list[np.ndarray] = []
        self.digest = hashlib.blake2b(digest_size=16)

    def add(self, block: np.ndarray) -> None:
        if block.ndim == 2 and block.shape[1] == 1:
            block = block[:, 0]
        if block.ndim == 1 and block.dtype == np.int16:
            self._add_mono(block, FULL)
            return
        channels = _scaled(block)
        if channels.ndim == 2:
            finite = np.nan_to_num(channels, posinf=0, neginf=0)
            self.loudest = self.loudest + np.square(finite, dtype=np.float64).sum(0)
            channels = channels.mean(axis=1)
        mono = self._finite(channels)
        exact = _as_int16(mono)
        self._add_mono(*((mono, 1) if exact is None else (exact, FULL)))

    def _add_mono(self, mono: np.ndarray, full: int) -> None:
        """Finite samples; `full` is full scale."""
        self.frames += len(mono)
        if not len(mono):
            return
        whole = mono[: len(mono) // self.width * self.width].reshape(-1, self.width)
        rest = mono[whole.size :]
        highs, lows = whole.max(1), whole.min(1)
        self.voiced += int((np.subtract(highs, lows, dtype=np.float32) > VOICED * full).sum())
        high = max(float(part.max()) for part in (highs, rest) if len(part))
        low = min(float(part.min()) for part in (lows, rest) if len(part))
        self.low, self.high = min(self.low, low / full), max(self.high, high / full)
        self.tops[high / full] += _flat(mono, whole[highs == high], high)
        self.tops[low / full] += _flat(mono, whole[lows == low], low) if low != high else 0
        self._add_energy(mono.astype(np.float32, copy=False), full)
        for part in (highs, lows, mono[::STRIDE]):
            self.digest.update(part.tobytes())

    def _add_energy(self, samples: np.ndarray, full: int) -> None:
        """Of every quarter of a frame; by einsum, since the threads of BLAS would change the last bit."""
        step = max(1, self.width // 4)
        quarters = samples[: len(samples) // step * step].reshape(-1, step)
        energy = np.einsum("ij,ij->i", quarters, quarters).astype(np.float64) / full**2
        rest = samples[quarters.size :]
        self.energies.append(energy)
        self.squares += float(energy.sum())
        self.squares += float(np.square(rest.astype(np.float64) / full).sum()) if len(rest) else 0.0
        self.sum += float(samples.sum(dtype=np.float32 if full > 1 else np.float64)) / full

    def _finite(self, mono: np.ndarray) -> np.ndarray:
        if np.isfinite(mono.sum(dtype=np.float64)):  # a finite sum proves that all are finite
            return mono
        good = np.isfinite(mono)
        if not good.all():
            self.bad += int((~good).sum())
            self.first_bad = self.frames + int(good.argmin()) if self.first_bad is None else self.first_bad
        return np.where(good, mono, 0.0).astype(np.float32)

    def wave(self, rate: int, shape: tuple[int, ...], dtype: str, marked: bool) -> WaveformStats:
        count = max(1, self.frames)
        mean = self.sum / count
        flat = self.tops[self.high] + self.tops[self.low] if self.high > self.low else 0
        loudest = float(self.loudest.max())
        return WaveformStats(
            seconds=self.frames / max(1, rate),
            shape=shape,
            dtype=dtype,
            peak=max(abs(self.low), abs(self.high)) if self.frames else 0.0,
            mean=mean,
            rms=max(0.0, self.squares / count - mean * mean) ** 0.5,
            clipped_fraction=flat / count,
            voiced_seconds=self.voiced * FRAME,
            not_finite=self.bad,
            bad_second=None if self.first_bad is None else self.first_bad / max(1, rate),
            mono_rms_ratio=1.0 if loudest <= 0 else (self.squares / loudest) ** 0.5,
            silent_channels=tuple(n for n, energy in enumerate(self.loudest.tolist(), 1) if loudest > 0 and not energy),
            sound=self.digest.digest() if self.frames else b"",
            marks=marks_of(np.concatenate(self.energies)) if marked and self.energies else b"",
        )


def _scaled(block: np.ndarray) -> np.ndarray:
    """16-bit samples from a file become floats of full scale 1; floats stay as they are."""
    return block.astype(np.float32) / FULL if block.dtype == np.int16 else block.astype(np.float32, copy=False)


def _as_int16(samples: np.ndarray) -> np.ndarray | None:
    """The same samples in 16 bits, None where that would round them: a lossless copy is the same sound."""
    if not len(samples) or np.abs(samples).max() >= 1.0:
        return None
    scaled = samples * FULL
    whole = scaled.astype(np.int16)
    return whole if np.array_equal(whole, scaled) else None


def _flat(samples: np.ndarray, frames: np.ndarray, top: float) -> int:
    """How many samples stand in flat tops; `frames` are the whole ones that reach the top."""
    few = frames.size and np.count_nonzero(frames == top) < RUN - 1  # one may be in the rest after them
    return 0 if few else _in_runs(samples == top)


def _in_runs(marks: np.ndarray) -> int:
    """How many marks stand in runs of RUN or more."""
    places = np.flatnonzero(marks)
    if len(places) < RUN:
        return 0
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    return sum(len(run) for run in runs if len(run) >= RUN)

"""Measures samples: peak, mean, flat tops, silence, what is not finite. In blocks, so that an hour needs no memory."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from probes.facts.audio.types import WaveformStats

RUN = 3  # equal neighbours at the very top: by chance about never in a sound that moves, always where it is cut off
FRAME = 0.02  # seconds
VOICED = 2.0**-12  # from lowest to highest in a frame: eight steps of 16 bits; dither has two or three, a room has more


def measure(blocks: Iterable[np.ndarray], rate: int, shape: tuple[int, ...] = ()) -> WaveformStats:
    """Blocks are [samples] or [samples, channels], of one kind: integers or floats."""
    total = _WaveformTotals()
    dtype = ""
    for block in blocks:
        dtype = str(block.dtype)
        total.add(block, rate)
    return total.wave(rate, shape or (total.frames,), dtype)


class _WaveformTotals:
    """What is known after some blocks."""

    def __init__(self) -> None:
        self.frames = self.bad = self.voiced = 0
        self.first_bad: int | None = None
        self.sum = self.squares = self.mixed = 0.0
        self.loudest = np.zeros(1)
        self.tops: Counter[float] = Counter()
        self.low, self.high = np.inf, -np.inf

    def add(self, block: np.ndarray, rate: int) -> None:
        channels = _scaled(block if block.ndim == 2 else block[:, None])
        mono = channels[:, 0] if channels.shape[1] == 1 else channels.mean(axis=1)
        mono = self._finite(mono)
        if channels.shape[1] > 1:
            finite = np.nan_to_num(channels, posinf=0, neginf=0)
            self.loudest = self.loudest + np.square(finite, dtype=np.float64).sum(0)
        self.frames += len(mono)
        if not len(mono):
            return
        self.sum += float(mono.sum(dtype=np.float64))
        self.squares += float(np.square(mono, dtype=np.float64).sum())  # not dot: its threads would fight with ours
        low, high = float(mono.min()), float(mono.max())
        self.low, self.high = min(self.low, low), max(self.high, high)
        self.tops[high] += _in_runs(mono == high)
        self.tops[low] += _in_runs(mono == low) if low != high else 0
        self.voiced += _voiced_frames(mono, max(1, round(FRAME * rate)))

    def _finite(self, mono: np.ndarray) -> np.ndarray:
        if np.isfinite(mono.sum(dtype=np.float64)):  # a finite sum proves that all are finite
            return mono
        good = np.isfinite(mono)
        if not good.all():
            self.bad += int((~good).sum())
            self.first_bad = self.frames + int(good.argmin()) if self.first_bad is None else self.first_bad
        return np.where(good, mono, 0.0)

    def wave(self, rate: int, shape: tuple[int, ...], dtype: str) -> WaveformStats:
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
        )


def _scaled(block: np.ndarray) -> np.ndarray:
    """16-bit samples from a file become floats of full scale 1; floats stay as they are."""
    return block.astype(np.float32) / 32768 if block.dtype == np.int16 else block.astype(np.float32, copy=False)


def _in_runs(marks: np.ndarray) -> int:
    """How many marks stand in runs of RUN or more."""
    places = np.flatnonzero(marks)
    if len(places) < RUN:
        return 0
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    return sum(len(run) for run in runs if len(run) >= RUN)


def _voiced_frames(mono: np.ndarray, width: int) -> int:
    """Frames in which the sound moves; a rest shorter than a frame is left out."""
    whole = mono[: len(mono) // width * width].reshape(-1, width)
    return int((whole.max(1) - whole.min(1) > VOICED).sum()) if len(whole) else 0

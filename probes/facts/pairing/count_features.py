"""Turns inputs and targets of any kind into vectors of counts for a linear model."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

UNITS, AXES, FRAMES = 64, 16, 500  # kinds of sound; main axes of the frames; frames of one row at most
WINDOW, HOP, BANDS = 400, 160, 40  # samples; samples; bands of the spectrum
WAVE = 1600  # numbers; a row of fewer is a vector of features, not a sound
TOKENS, RARE = 256, 3  # the most frequent tokens are counted; those in fewer rows tell nothing
Values = Sequence[np.ndarray]


def are_audio(values: Values) -> bool:
    """Samples, or frames: not tokens, not plain vectors, not pictures."""
    first = values[0]
    return first.dtype.kind == "f" and (first.ndim == 2 or (first.ndim == 1 and len(first) >= WAVE))


def inputs_as_counts(values: Values) -> np.ndarray:
    """Of tokens: how often each occurs; of sounds: how long each kind of sound lasts; of the rest: the numbers."""
    if values[0].dtype.kind in "iu":
        return np.sqrt(_bags([strip_padding(np.atleast_1d(value)).reshape(-1) for value in values]))
    if are_audio(values):
        return np.sqrt(_durations([_subsample(frames) for frames in frames_of(values)]))
    return _vectors(values)


def targets_as_counts(values: Values) -> np.ndarray:
    """Counts of the targets; negative ones are not scored."""
    if values[0].dtype.kind == "f":
        return _vectors(values)
    return np.sqrt(_bags([np.atleast_1d(value).reshape(-1) for value in values]))


def lengths_of(values: Values) -> np.ndarray:
    """Without padding: frames or samples of inputs, scored tokens of targets."""
    if are_audio(values):
        return np.array([len(frames) for frames in frames_of(values)], dtype=float)
    return np.array([int((np.atleast_1d(value) >= 0).sum()) for value in values], dtype=float)


def frames_of(values: Values) -> list[np.ndarray]:
    """[time, bands] without padding. Time is the axis that varies, else the longer one."""
    if values[0].ndim == 1:
        return [_spectrum(strip_padding(value)) for value in values]
    varies = [len({value.shape[axis] for value in values}) > 1 for axis in (0, 1)]
    axis = varies.index(True) if any(varies) else int(np.argmax(values[0].shape))
    return [strip_padding(value, axis) for value in values]


def strip_padding(value: np.ndarray, axis: int = 0) -> np.ndarray:
    """Padding repeats one value to the end; the first of it stays."""
    along = np.moveaxis(value, axis, 0)
    if len(along) < 2:
        return along
    rows = along.reshape(len(along), -1)
    differs = np.flatnonzero((rows != rows[-1]).any(1))
    return along[: int(differs[-1]) + 2] if len(differs) else along[:1]


def _spectrum(samples: np.ndarray) -> np.ndarray:
    samples = np.pad(samples, (0, max(0, WINDOW - len(samples))))
    windows = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP]
    power = np.abs(np.fft.rfft(windows * np.hanning(WINDOW))) ** 2
    edges = np.unique(np.geomspace(1, power.shape[1] - 1, BANDS + 1).astype(int))
    bands = np.stack([power[:, low:high].mean(1) for low, high in pairwise(edges)], axis=1)
    return np.asarray(np.log(bands + 1e-6 * bands.mean() + 1e-12))


def _subsample(frames: np.ndarray) -> np.ndarray:
    return frames[:: max(1, len(frames) // FRAMES)]


def _durations(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Frames are grouped into kinds by k-means; who speaks, and how loudly, is taken out with each row's mean."""
    rng = np.random.default_rng(0)
    rows = [row - row.mean(0) for row in rows]
    every = np.concatenate(rows)
    scale = every.std(0) + 1e-6
    some = every[rng.choice(len(every), min(len(every), 4000), replace=False)] / scale
    axes = np.linalg.svd(some - some.mean(0), full_matrices=False)[2][:AXES].T
    centres = _centres(some @ axes, rng)
    sizes = (centres**2).sum(1)
    nearest = [(sizes - 2 * (row / scale @ axes) @ centres.T).argmin(1) for row in rows]
    return np.stack([np.bincount(kinds, minlength=len(centres)) for kinds in nearest]).astype(float)


def _centres(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    centres = points[rng.choice(len(points), min(UNITS, len(points)), replace=False)]
    for _ in range(8):
        nearest = ((centres**2).sum(1) - 2 * points @ centres.T).argmin(1)
        held = [points[nearest == number] for number in range(len(centres))]
        centres = np.stack([own.mean(0) if len(own) else old for own, old in zip(held, centres, strict=True)])
    return centres


def _bags(rows: Values) -> np.ndarray:
    counts = [Counter(int(token) for token in row if token >= 0) for row in rows]
    spread = Counter(token for row in counts for token in row)
    known = [token for token, number in spread.most_common(TOKENS) if number >= RARE]
    totals = [[sum(row.values())] for row in counts]
    return np.array([[row[token] for token in known] + total for row, total in zip(counts, totals, strict=True)], float)


def _vectors(values: Values) -> np.ndarray:
    """Of large ones, so many numbers at equal distances."""
    least = min(value.size for value in values)
    places = np.unique(np.linspace(0, least - 1, min(least, TOKENS)).astype(int))
    return np.stack([value.reshape(-1)[places] for value in values]).astype(float)

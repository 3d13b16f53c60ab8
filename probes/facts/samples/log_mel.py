"""The log-mel picture of a clip whose model reads the waveform itself. A picture only: no model is fed with it."""

import numpy as np

BANDS, WINDOW, STEP = 80, 0.025, 0.010  # as most speech models: 80 bands, windows of 25 ms every 10 ms


def log_mel(samples: np.ndarray, rate: int) -> np.ndarray:
    """[bands, frames], in natural logarithms."""
    width, step = max(2, round(rate * WINDOW)), max(1, round(rate * STEP))
    padded = np.pad(np.nan_to_num(samples), (0, max(0, width - len(samples))))
    frames = np.lib.stride_tricks.sliding_window_view(padded, width)[::step] * np.hanning(width)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    return np.log(np.maximum(_filters(rate, power.shape[1]) @ power.T, 1e-10))


def _filters(rate: int, bins: int) -> np.ndarray:
    """Triangles that are evenly spaced on the mel scale."""
    top = 2595 * np.log10(1 + rate / 2 / 700)
    edges = 700 * (10 ** (np.linspace(0, top, BANDS + 2) / 2595) - 1)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    hertz = np.linspace(0, rate / 2, bins)[None]
    return np.maximum(0, np.minimum((hertz - low) / (middle - low), (high - hertz) / (high - middle)))

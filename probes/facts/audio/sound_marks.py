"""Marks of a sound: how loudness moves around each of its peaks. A copy in another format, rate or cut shares most."""

import numpy as np

SMOOTH = np.hanning(35)[1:-1]  # of quarters of a frame, 5 ms: 165 ms, about a syllable
APART = 16  # a peak is the loudest within 80 ms on either side
QUIET = 1e-3  # of the loudest: peaks further than 30 dB below it are left out
AROUND = np.array([-120, -90, -60, -30, 30, 60, 90, 120])  # quarters of a frame from the peak
PAIRS = np.array([(one, other) for one in range(8) for other in range(one + 1, 8)])  # of these places
VALUES = (1 << np.arange(len(PAIRS))).astype(np.float64)
MOST = 64  # marks of one sound, evenly over it


def marks_of(energies: np.ndarray) -> bytes:
    """One number of 32 bits for each peak of the energies of quarter frames; empty for a sound without peaks."""
    reach = int(AROUND[-1])
    if len(energies) < len(SMOOTH):
        return b""
    loudness = np.zeros(len(energies) + 2 * reach)
    loudness[reach:-reach] = np.convolve(energies, SMOOTH, mode="same")
    near = np.lib.stride_tricks.sliding_window_view(loudness[reach - APART : APART - reach], 2 * APART + 1)
    inside = loudness[reach:-reach]
    peaks = np.flatnonzero((inside >= near.max(1)) & (inside > QUIET * inside.max())) + reach
    return _describe(loudness, peaks[:: 1 + len(peaks) // MOST]).tobytes()


def _describe(loudness: np.ndarray, peaks: np.ndarray) -> np.ndarray:
    """For each peak, which of two places around it is the louder one, for each pair of places."""
    around = loudness[peaks[:, None] + AROUND]
    bits = around[:, PAIRS[:, 0]] > around[:, PAIRS[:, 1]]
    return np.unique((bits @ VALUES).astype("<u4"))

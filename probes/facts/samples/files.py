"""Pictures and sounds as files that a browser shows: PNG and WAV."""

import io
import struct
import wave
import zlib

import numpy as np

WIDEST = 1200  # columns of a picture
COLUMNS = 320  # of a waveform


def oriented(values: np.ndarray) -> np.ndarray:
    """Time to the right, low bands below; the longer axis is time."""
    bands_first = values if values.shape[0] <= values.shape[1] else values.T
    return bands_first[::-1, :: -(-bands_first.shape[1] // WIDEST)]


def png(values: np.ndarray) -> bytes:
    """A grayscale picture, dark for low values; what is not finite is white."""
    finite = np.isfinite(values)
    low, high = (values[finite].min(), values[finite].max()) if finite.any() else (0.0, 1.0)
    scaled = np.where(finite, (values - low) / max(high - low, 1e-12) * 254, 255.0)
    rows = np.nan_to_num(scaled, nan=255).astype(np.uint8)
    height, width = rows.shape
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def envelope(samples: np.ndarray) -> list[tuple[float, float]]:
    """The lowest and the highest sample of each column, within -1 to 1; what is not finite counts as 0."""
    values = np.nan_to_num(samples, posinf=0.0, neginf=0.0).clip(-1, 1)
    parts = np.array_split(values, min(COLUMNS, max(1, len(values)))) if len(values) else []
    return [(float(part.min()), float(part.max())) for part in parts]


def wav(samples: np.ndarray, rate: int) -> bytes:
    """A WAV file of 16 bits."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, rate, 0, "NONE", ""))
        sound.writeframes((np.nan_to_num(samples).clip(-1, 1) * 32767).astype("<i2").tobytes())
    return file.getvalue()

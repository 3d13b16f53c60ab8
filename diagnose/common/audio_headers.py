"""What the header of a WAV or Ogg file promises, against the bytes that are there. Nothing is decoded.

libsndfile reads a WAV or an Ogg file that was cut in half without an error.
"""

import os
import struct
from dataclasses import dataclass

PCM, EXTENSIBLE = 1, 0xFFFE
STREAMED = 0x7FFFF000  # a writer that cannot seek back leaves this or more as the size: all that follows is samples
LARGEST_OGG_PAGE = 65307


@dataclass(frozen=True)
class WavHeader:
    """Where the samples begin (0: the file ends before them), and how many bytes of them are promised and present."""

    order: str  # "<" or ">", as in struct
    start: int = 0
    promised: int = 0
    present: int = 0
    kind: int = 0
    channels: int = 0
    rate: int = 0
    frame: int = 0  # bytes of one sample of all channels
    bits: int = 0

    @property
    def is_int16(self) -> bool:
        """Whether numpy can read the samples as little-endian int16."""
        known = self.order == "<" and self.kind in (PCM, EXTENSIBLE)
        return known and self.bits == 16 and self.frame == 2 * self.channels > 0 < self.rate

    @property
    def frames(self) -> int:
        return min(self.promised, self.present) // max(1, self.frame)


def read_wav(handle: int, size: int) -> WavHeader | None:
    """The header of a WAV file of `size` bytes; None if it is no WAV file."""
    magic = os.pread(handle, 12, 0)
    if magic[:4] not in (b"RIFF", b"RIFX", b"RF64") or magic[8:] != b"WAVE":
        return None
    order = ">" if magic[:4] == b"RIFX" else "<"
    position, long_size, form = 12, 0, (0, 0, 0, 0, 0, 0)
    while position + 8 <= size:
        name, length = struct.unpack(f"{order}4sI", os.pread(handle, 8, position))
        if name == b"fmt " and position + 24 <= size:
            form = struct.unpack(f"{order}HHIIHH", os.pread(handle, 16, position + 8))
        if name == b"ds64" and position + 24 <= size:
            long_size = int.from_bytes(os.pread(handle, 8, position + 16), "little")
        if name == b"data":
            present = size - position - 8
            promised = long_size or (present if length >= STREAMED else length)
            kind, channels, rate, _, frame, bits = form
            return WavHeader(order, position + 8, promised, present, kind, channels, rate, frame, bits)
        position += 8 + length + length % 2
    return WavHeader(order)


def ogg_is_truncated(handle: int, size: int) -> bool:
    """Whether an Ogg file lacks its last page; False for any other file."""
    if os.pread(handle, 4, 0) != b"OggS":
        return False
    start = max(0, size - 2 * LARGEST_OGG_PAGE)
    tail = os.pread(handle, size - start, start)
    page = tail[tail.rfind(b"OggS") :]
    whole = len(page) > 27 and len(page) >= 27 + page[26] + sum(page[27 : 27 + page[26]])
    return not (whole and page[5] & 4)

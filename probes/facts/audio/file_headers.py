"""What an audio file promises, read from its first bytes, against the bytes that are there. Nothing is decoded."""

import os
import struct
from dataclasses import dataclass

from probes.facts.audio.types import AudioHeader

PCM, EXTENSIBLE = 1, 0xFFFE
STREAMED = 0x7FFFF000  # what a writer that cannot seek back leaves as the size: all that follows is samples
OGG_PAGE = 65307  # the largest there can be


@dataclass(frozen=True)
class WavHeader:
    """A WAV file: where its samples begin, how many bytes of them it promises, how many there are."""

    kind: int
    channels: int
    rate: int
    frame: int  # bytes of one sample of all channels
    bits: int
    start: int
    promised: int
    present: int

    @property
    def plain(self) -> bool:
        """16-bit samples that numpy can read as they lie there."""
        return self.kind in (PCM, EXTENSIBLE) and self.bits == 16 and self.frame == 2 * self.channels > 0 < self.rate

    @property
    def header(self) -> AudioHeader:
        frames = min(self.promised, self.present) // max(1, self.frame)
        return AudioHeader(self.rate, self.channels, frames / max(1, self.rate), "WAV")


class TruncatedFile(Exception):
    """The file ends before its header says so."""


def read_riff(handle: int, size: int) -> WavHeader | None:
    """The header of a WAV file; None for what is none. Raises Cut where there is no room for samples at all."""
    magic = os.pread(handle, 12, 0)
    if magic[:4] not in (b"RIFF", b"RF64") or magic[8:] != b"WAVE":
        return None
    position, wide, form = 12, 0, (0, 0, 0, 0, 0, 0)
    while position + 8 <= size:
        name, length = struct.unpack("<4sI", os.pread(handle, 8, position))
        if name == b"fmt ":
            form = _format(os.pread(handle, 16, position + 8))
        if name == b"ds64":
            wide = int.from_bytes(os.pread(handle, 8, position + 16), "little")
        if name == b"data":
            present = size - position - 8
            promised = wide or (present if length >= STREAMED else length)
            kind, channels, rate, _, frame, bits = form
            return WavHeader(kind, channels, rate, frame, bits, position + 8, promised, present)
        position += 8 + length + length % 2
    raise TruncatedFile(f"it ends after {size:,} bytes, before the samples")


def _format(chunk: bytes) -> tuple[int, int, int, int, int, int]:
    if len(chunk) < 16:
        raise TruncatedFile("it ends within its header")
    kind, channels, rate, speed, frame, bits = struct.unpack("<HHIIHH", chunk)
    return kind, channels, rate, speed, frame, bits


def check_end(handle: int, size: int) -> None:
    """An Ogg file whose last page is gone is read by libsndfile without a word."""
    if os.pread(handle, 4, 0) != b"OggS":
        return
    start = max(0, size - 2 * OGG_PAGE)
    tail = os.pread(handle, size - start, start)
    page = tail[tail.rfind(b"OggS") :]
    whole = len(page) > 27 and len(page) >= 27 + page[26] + sum(page[27 : 27 + page[26]])
    if not (whole and page[5] & 4):
        raise TruncatedFile("its last page is not there")

"""Checks the length in an audio file's header against its size.

libsndfile reads a WAV or an Ogg file that was cut in half without a word, and stops early in an MP3 of variable
bit rate whose header does not say how long it is. So the header is checked here, before decoding.
"""

import os
import struct

from trainer.data.audio.errors import AGAIN, CONVERT, TRUNCATED, AudioError

STREAMED = 0x7FFFF000  # a writer that cannot seek back leaves this or more as the size: all that follows is samples
LARGEST_OGG_PAGE = 65307
FIRST_MP3_FRAME = 2048
LENGTH_MARKS = (b"Xing", b"Info", b"VBRI")


def check_container(handle: int, name: str) -> None:
    """Refuse a file shorter than its header says, or of unknown length."""
    size = os.fstat(handle).st_size
    magic = os.pread(handle, 12, 0)
    if magic[:4] in (b"RIFF", b"RIFX", b"RF64") and magic[8:] == b"WAVE":
        _check_wav(handle, size, ">" if magic[:4] == b"RIFX" else "<", name)
    elif magic[:4] == b"OggS":
        _check_ogg(handle, size, name)
    elif magic[:3] == b"ID3" or (magic[:1] == b"\xff" and magic[1] & 0xE0 == 0xE0):
        _check_mp3(handle, name)


def truncated_error(name: str, why: str) -> AudioError:
    return AudioError(f"{name} is cut short: {why}", AGAIN, TRUNCATED)


def unknown_length(name: str) -> AudioError:
    return AudioError(f"{name} does not say in its header how long it is", CONVERT)


def _check_wav(handle: int, size: int, order: str, name: str) -> None:
    """Walk over the chunks to the samples."""
    position, wide = 12, 0
    while position + 8 <= size:
        chunk, length = struct.unpack(f"{order}4sI", os.pread(handle, 8, position))
        if chunk == b"ds64" and position + 24 <= size:
            wide = struct.unpack("<Q", os.pread(handle, 8, position + 16))[0]
        if chunk == b"data":
            promised, present = wide or (0 if length >= STREAMED else length), size - position - 8
            if promised > present:
                raise truncated_error(
                    name, f"its header promises {promised:,} bytes of samples, the file has {present:,}"
                )
            return
        position += 8 + length + length % 2
    raise truncated_error(name, f"the file ends after {size:,} bytes, before the samples")


def _check_ogg(handle: int, size: int, name: str) -> None:
    """The last page must be whole and marked as the last."""
    start = max(0, size - 2 * LARGEST_OGG_PAGE)
    tail = os.pread(handle, size - start, start)
    page = tail[tail.rfind(b"OggS") :]
    whole = len(page) > 27 and len(page) >= 27 + page[26] + sum(page[27 : 27 + page[26]])
    if not (whole and page[5] & 4):
        raise truncated_error(name, "its last page is not there")


def _check_mp3(handle: int, name: str) -> None:
    """Without a Xing, Info or VBRI mark the length is a guess."""
    tag = os.pread(handle, 10, 0)
    start = 0
    if tag[:3] == b"ID3" and len(tag) == 10:
        start = 10 + (tag[6] << 21 | tag[7] << 14 | tag[8] << 7 | tag[9])
    frame = os.pread(handle, FIRST_MP3_FRAME, start)
    if not any(mark in frame for mark in LENGTH_MARKS):
        raise unknown_length(name)

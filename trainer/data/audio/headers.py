"""Checks the length in an audio file's header against its size.

libsndfile reads a WAV or an Ogg file that was cut in half without a word, and stops early in an MP3 of variable
bit rate whose header does not say how long it is. So the header is checked here, before decoding.
"""

import os

from diagnose.common.audio_headers import ogg_is_truncated, read_wav
from trainer.data.audio.errors import CONVERT, EXPORT, TRUNCATED, AudioError

FIRST_MP3_FRAME = 2048
LENGTH_MARKS = (b"Xing", b"Info", b"VBRI")


def check_container(handle: int, name: str) -> None:
    """Refuse a file shorter than its header says, or of unknown length."""
    size = os.fstat(handle).st_size
    magic = os.pread(handle, 12, 0)
    wav = read_wav(handle, size)
    if wav and not wav.start:
        raise truncated_error(name, f"the file ends after {size:,} bytes, before the samples")
    if wav and wav.promised > wav.present:
        why = f"its header gives {wav.promised:,} bytes of samples, the file has {wav.present:,}"
        raise truncated_error(name, why)
    if ogg_is_truncated(handle, size):
        raise truncated_error(name, "its last page is not there")
    if magic[:3] == b"ID3" or (magic[:1] == b"\xff" and magic[1] & 0xE0 == 0xE0):
        _check_mp3(handle, name)


def truncated_error(name: str, why: str) -> AudioError:
    return AudioError(f"{name} is truncated: {why}", EXPORT, TRUNCATED)


def unknown_length(name: str) -> AudioError:
    return AudioError(f"the header of {name} gives no length", CONVERT)


def _check_mp3(handle: int, name: str) -> None:
    """Without a Xing, Info or VBRI mark the length is a guess."""
    tag = os.pread(handle, 10, 0)
    start = 0
    if tag[:3] == b"ID3" and len(tag) == 10:
        start = 10 + (tag[6] << 21 | tag[7] << 14 | tag[8] << 7 | tag[9])
    frame = os.pread(handle, FIRST_MP3_FRAME, start)
    if not any(mark in frame for mark in LENGTH_MARKS):
        raise unknown_length(name)

"""Opens audio files of a manifest: is it there, whole, readable, and what are its samples?"""

import os
import stat
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import soundfile

from diagnose.common.audio_headers import WavHeader, ogg_is_truncated, read_wav
from probes.facts.audio.types import AudioFile, AudioHeader, WaveformStats
from probes.facts.audio.waveform_stats import measure
from probes.facts.core.progress_log import log_progress
from probes.facts.corpus.types import CorpusRow

BLOCK = 30  # seconds decoded at a time
ENDLESS = 2**62  # what libsndfile says of a stream without a length
LOSSY = ("MP3", "OGG")
MP3_SLACK = 2 * 1152  # samples that a decoder may lose at the ends of a whole file


class AudioProblem(Exception):
    """One of missing, outside, empty, truncated, unreadable; with the reason."""


def decode_rows(rows: Sequence[CorpusRow]) -> tuple[AudioFile, ...]:
    """Every row's file, decoded from beginning to end, on all cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return tuple(log_progress(pool.map(decode_row, rows), len(rows), "audio files decoded"))


def decode_row(row: CorpusRow) -> AudioFile:
    try:
        handle = _open(row)
    except AudioProblem as problem:
        return AudioFile(row, *problem.args)
    try:
        size = os.fstat(handle).st_size
        wav = read_wav(handle, size)
        if (wav and not wav.start) or ogg_is_truncated(handle, size):
            end = f"it ends after {size:,} bytes, before the samples" if wav else "its last page is not there"
            return AudioFile(row, "truncated", end)
        header, wave = _read_int16(handle, wav) if wav and wav.is_int16 else _decode(handle)
        if wav and wav.promised > wav.present:
            end = f"its header gives {wav.promised:,} bytes of samples, the file has {wav.present:,}"
            return AudioFile(row, "truncated", end, header, wave)
        return AudioFile(row, "" if wave.shape[0] else "empty", "it holds no samples", header, wave)
    except AudioProblem as problem:
        return AudioFile(row, *problem.args)
    except (soundfile.LibsndfileError, OSError, ValueError, RuntimeError) as error:
        return AudioFile(row, "unreadable", str(getattr(error, "error_string", error)).rstrip("."))
    finally:
        os.close(handle)


def _open(row: CorpusRow) -> int:
    """A descriptor: a pipe cannot block, and the name does not decide the format."""
    if row.path is None:
        raise AudioProblem("outside", "its path leads out of audio_root")
    try:
        handle = os.open(row.path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        raise AudioProblem("missing", getattr(error, "strerror", None) or str(error)) from error
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_size:
        return handle
    os.close(handle)
    if stat.S_ISREG(status.st_mode):
        raise AudioProblem("empty", "it has 0 bytes")
    raise AudioProblem("unreadable", "it is a folder, a pipe or a device, not a file")


def _read_int16(handle: int, wav: WavHeader) -> tuple[AudioHeader, WaveformStats]:
    step = max(1, BLOCK * wav.rate)

    def blocks() -> Iterator[np.ndarray]:
        for first in range(0, wav.frames, step):
            count = min(step, wav.frames - first)
            data = os.pread(handle, count * wav.frame, wav.start + first * wav.frame)
            block = np.frombuffer(data, dtype="<i2")
            yield block.reshape(-1, wav.channels) if wav.channels > 1 else block

    header = AudioHeader(wav.rate, wav.channels, wav.frames / wav.rate, "WAV")
    return header, measure(blocks(), wav.rate, (wav.frames,))


def _decode(handle: int) -> tuple[AudioHeader, WaveformStats]:
    with soundfile.SoundFile(handle, closefd=False) as sound:
        if sound.frames >= ENDLESS:
            raise AudioProblem("unreadable", "its header gives no length")
        lossy = sound.format in LOSSY
        header = AudioHeader(sound.samplerate, sound.channels, sound.frames / sound.samplerate, sound.format, lossy)
        blocks = sound.blocks(BLOCK * sound.samplerate, dtype="float32", always_2d=True)
        wave = measure(blocks, sound.samplerate)
        if wave.shape[0] < sound.frames - (MP3_SLACK if sound.format == "MP3" else 0):
            said = f"its header gives {header.seconds:.2f} s, {wave.seconds:.2f} s can be decoded"
            raise AudioProblem("truncated", said)
    return header, wave


def seconds_of(path: str) -> float | None:
    """The length by the header alone; None where it has none that can be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return None
        wav = read_wav(handle, status.st_size)
        seconds = wav.frames / max(1, wav.rate) if wav and wav.frame else _header_seconds(handle)
    except (soundfile.LibsndfileError, OSError, ValueError, RuntimeError):
        return None
    finally:
        os.close(handle)
    return seconds if 0 < seconds < ENDLESS else None


def _header_seconds(handle: int) -> float:
    with soundfile.SoundFile(handle, closefd=False) as sound:
        return 0.0 if sound.frames >= ENDLESS else float(sound.frames / sound.samplerate)

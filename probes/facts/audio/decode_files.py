"""Opens audio files of a manifest: is it there, whole, readable, and what are its samples?"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import soundfile

from diagnose.common.audio_headers import WavHeader, ogg_is_truncated, read_wav
from probes.facts.audio.file_record import FileScan
from probes.facts.audio.open_files import AudioProblem, opened
from probes.facts.audio.types import AudioFile, AudioHeader, WaveformStats
from probes.facts.audio.waveform_stats import frame_width, measure
from probes.facts.core.progress_log import log_progress
from probes.facts.corpus.types import CorpusRow

BLOCK = 1500  # frames of 20 ms that are decoded at a time
LARGEST_BLOCK = 2**22  # samples of all channels, whatever rate and channels a header gives
ENDLESS = 2**62  # what libsndfile says of a stream without a length
LOSSY = ("MP3", "OGG")
MP3_SLACK = 2 * 1152  # samples that a decoder may lose at the ends of a whole file


def decode_rows(rows: Sequence[CorpusRow]) -> tuple[AudioFile, ...]:
    """Every row's file, decoded from beginning to end, on all cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return tuple(log_progress(pool.map(decode_row, rows), len(rows), "audio files decoded"))


def decode_row(row: CorpusRow) -> AudioFile:
    return file_of_row(row, scan_file(row.path))


def file_of_row(row: CorpusRow, scan: FileScan) -> AudioFile:
    return AudioFile(row, scan.problem, scan.detail, scan.header, scan.wave)


def scan_file(path: str | None) -> FileScan:
    """What is wrong with it, or what it holds; whatever is in the file, this returns."""
    size = None
    try:
        with opened(path) as (handle, size):
            return _scan(handle, size)
    except AudioProblem as problem:
        kind, detail = problem.args
        return FileScan(kind, detail, size=size)
    except (soundfile.LibsndfileError, OSError, ValueError, RuntimeError, MemoryError) as error:
        reason = str(getattr(error, "error_string", error)).rstrip(".") or type(error).__name__
        return FileScan("unreadable", reason, size=size)


def _scan(handle: int, size: int) -> FileScan:
    wav = read_wav(handle, size)
    if (wav and not wav.start) or ogg_is_truncated(handle, size):
        end = f"it ends after {size:,} bytes, before the samples" if wav else "its last page is not there"
        return FileScan("truncated", end, size=size)
    header, wave = _read_int16(handle, wav) if wav and wav.is_int16 else _decode(handle)
    if wav and wav.promised > wav.present:
        end = f"its header gives {wav.promised:,} bytes of samples, the file has {wav.present:,}"
        return FileScan("truncated", end, header, wave, size)
    empty = ("", "") if wave.shape[0] else ("empty", "it holds no samples")
    return FileScan(*empty, header, wave, size)


def block_length(rate: int, channels: int) -> int:
    """Samples of each channel that are read at a time: whole frames, and never more than fit into memory."""
    width = frame_width(rate)
    return width * max(1, min(BLOCK, LARGEST_BLOCK // (width * max(1, channels))))


def _read_int16(handle: int, wav: WavHeader) -> tuple[AudioHeader, WaveformStats]:
    step = block_length(wav.rate, wav.channels)

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
        wave = measure(_blocks(sound), sound.samplerate)
        if wave.shape[0] < sound.frames - (MP3_SLACK if sound.format == "MP3" else 0):
            decoded = f"its header gives {header.seconds:.2f} s, {wave.seconds:.2f} s can be decoded"
            raise AudioProblem("truncated", decoded)
    return header, wave


def _blocks(sound: soundfile.SoundFile) -> Iterator[np.ndarray]:
    """As they come: what a header promises is not made room for."""
    step = block_length(sound.samplerate, sound.channels)
    while len(block := sound.read(step, dtype="float32", always_2d=True)):
        yield block


def seconds_of(path: str) -> float | None:
    """The length by the header alone; None where it has none that can be read."""
    try:
        with opened(path) as (handle, size):
            wav = read_wav(handle, size)
            seconds = wav.frames / max(1, wav.rate) if wav and wav.frame else _header_seconds(handle)
    except (AudioProblem, soundfile.LibsndfileError, OSError, ValueError, RuntimeError):
        return None
    return seconds if 0 < seconds < ENDLESS else None


def _header_seconds(handle: int) -> float:
    with soundfile.SoundFile(handle, closefd=False) as sound:
        return 0.0 if sound.frames >= ENDLESS else float(sound.frames / sound.samplerate)

"""What was measured of one file as bytes: the same on every machine, and small enough to keep a million of them."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from probes.facts.audio.types import AudioHeader, WaveformStats

HEAD = struct.Struct("<BQ?IId8s??")  # problem, bytes, header, samples
WAVE = struct.Struct("<dQ8sddddd?QddH16sHH")
DRAWN = 400  # files of a chart
PROBLEMS = ("", "missing", "outside", "empty", "truncated", "unreadable")


@dataclass(frozen=True)
class FileScan:
    """One audio file. `problem`: as in AudioFile; `size`: its bytes, None if it is not there."""

    problem: str = ""
    detail: str = ""
    header: AudioHeader | None = None
    wave: WaveformStats | None = None
    size: int | None = None


@dataclass(frozen=True)
class FileRecords:
    """What an audit measured, by file."""

    records: Mapping[str, bytes]

    def figure(self) -> dict[str, Any]:
        """For the report: seconds, level and peak of some files, evenly, and of the quietest, loudest and longest."""
        return levels_of(self.records)


def pack(scan: FileScan) -> bytes:
    header = scan.header or AudioHeader(0, 0, 0.0, "")
    size = 0 if scan.size is None else scan.size + 1
    form = header.format.encode()[:8]
    head = HEAD.pack(
        *(PROBLEMS.index(scan.problem), size, scan.header is not None, header.rate, header.channels),
        *(header.seconds, form, header.lossy, scan.wave is not None),
    )
    wave = b"" if scan.wave is None else _pack_wave(scan.wave)
    return head + wave + scan.detail.encode()


def _pack_wave(wave: WaveformStats) -> bytes:
    numbers = WAVE.pack(
        *(wave.seconds, wave.shape[0], wave.dtype.encode(), wave.peak, wave.mean, wave.rms, wave.clipped_fraction),
        *(wave.voiced_seconds, wave.bad_second is not None, wave.not_finite, wave.bad_second or 0.0),
        *(wave.mono_rms_ratio, len(wave.silent_channels), wave.sound, len(wave.marks), bool(wave.sound)),
    )
    return numbers + struct.pack(f"<{len(wave.silent_channels)}H", *wave.silent_channels) + wave.marks


def unpack(record: bytes) -> FileScan:
    problem, size, has_header, rate, channels, seconds, form, lossy, has_wave = HEAD.unpack_from(record)
    header = AudioHeader(rate, channels, seconds, _text(form), lossy) if has_header else None
    wave, end = _unpack_wave(record, HEAD.size) if has_wave else (None, HEAD.size)
    return FileScan(PROBLEMS[problem], record[end:].decode(), header, wave, size - 1 if size else None)


def _unpack_wave(record: bytes, start: int) -> tuple[WaveformStats, int]:
    values = WAVE.unpack_from(record, start)
    seconds, frames, dtype, *numbers = values
    peak, mean, rms, clipped, voiced, has_bad, not_finite, bad, ratio, silent, sound, marks, has_sound = numbers
    middle = start + WAVE.size + 2 * silent
    channels = struct.unpack_from(f"<{silent}H", record, start + WAVE.size)
    wave = WaveformStats(
        *(seconds, (frames,), _text(dtype), peak, mean, rms, clipped, voiced, not_finite, bad if has_bad else None),
        *(ratio, channels, sound if has_sound else b"", record[middle : middle + marks]),
    )
    return wave, middle + marks


def _text(padded: bytes) -> str:
    return padded.rstrip(b"\0").decode()


def is_there(record: bytes) -> bool:
    return PROBLEMS[record[0]] not in ("missing", "outside")


def header_seconds(record: bytes) -> float | None:
    """The length by the header; None where there is none."""
    values = HEAD.unpack_from(record)
    return values[5] if values[2] else None


def levels_of(records: Mapping[str, bytes]) -> dict[str, Any]:
    """Rows of name, seconds, rms and peak: evenly over all files with samples, and the extremes of each."""
    rows = [
        (name, wave.seconds, wave.rms, wave.peak)
        for name, record in records.items()
        if (wave := unpack(record).wave) is not None and wave.rms > 0
    ]
    ordered = [sorted(rows, key=itemgetter(place)) for place in (1, 2, 3)]
    ends = [row for some in ordered for row in (*some[:5], *some[-5:])]
    evenly = rows[:: 1 + len(rows) // DRAWN]
    return {"rows": list(dict.fromkeys([*evenly, *ends])), "total": len(rows)}

"""Clips that findings name, to be listened to on a page: the worst of each check, ten seconds of it at the most."""

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from diagnose.engine.types import Finding

MOST = 12  # clips: at 320 kB each, a page of a million rows stays small
SECONDS = 10


@dataclass(frozen=True)
class ClipPlayer:
    """A clip with what was found in it; `source` is a data address with its samples."""

    where: str
    probe: str
    message: str
    source: str


def clip_players(findings: Sequence[Finding], paths: Mapping[tuple[str, int], str]) -> Iterator[ClipPlayer]:
    """For the first finding of each check whose file can be played; `paths`: files by manifest and line."""
    done: set[str] = set()
    for one in findings:
        path = paths.get((one.file or "", one.line or 0))
        if path and one.probe not in done and len(done) < MOST and (content := wav_of(path)):
            done.add(one.probe)
            source = f"data:audio/wav;base64,{base64.b64encode(content).decode()}"
            yield ClipPlayer(one.where, one.probe, one.message, source)


def wav_of(path: str) -> bytes:
    """The beginning of a clip as 16-bit WAV; empty where it cannot be read."""
    import soundfile

    made = io.BytesIO()
    try:
        with soundfile.SoundFile(path) as sound:
            samples = sound.read(SECONDS * sound.samplerate, dtype="int16")
            soundfile.write(made, samples, sound.samplerate, format="WAV", subtype="PCM_16")
    except (soundfile.LibsndfileError, OSError, ValueError, RuntimeError):
        return b""
    return made.getvalue()

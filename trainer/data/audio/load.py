"""Loads clips: WAV, FLAC, OGG or MP3 of any width, rate and channels, as mono float32."""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile

from trainer.data.audio.errors import EXPORT, NOT_FINITE, TRUNCATED, AudioError, printable_path
from trainer.data.audio.headers import truncated_error
from trainer.data.audio.open import open_audio

if TYPE_CHECKING:
    import torch

MP3_SLACK = 2 * 1152  # samples a decoder may lose at the ends of a whole file
CHECKED_SECONDS = 30  # decoded at a time, so that an hour of audio needs no more memory than a clip
LARGEST_RATIO = 2_000_000  # of two rates; the filters that bring 44,099 to 16,000 Hz would take gigabytes


@dataclass(frozen=True)
class AudioInfo:
    """The header of an audio file."""

    frames: int
    rate: int
    channels: int
    format: str
    subtype: str

    @property
    def seconds(self) -> float:
        return self.frames / self.rate


def audio_info(path: str | Path, root: str | Path) -> AudioInfo:
    """Length and format, from the header alone."""
    with open_audio(path, root) as sound:
        return _info(sound)


def check_audio(path: str | Path, root: str | Path, sample_rate: int = 16000) -> AudioInfo:
    """Decode the whole file, piece by piece; load_audio can load what passes."""
    with open_audio(path, root) as sound:
        _check_rate(sound.samplerate, sample_rate, printable_path(path))
        done = 0
        while done < sound.frames - _slack(sound):
            done += len(_decode(sound, printable_path(path), done, CHECKED_SECONDS * sound.samplerate))
        return _info(sound)


def load_audio(
    path: str | Path, root: str | Path, sample_rate: int = 16000, max_seconds: float = 30.0, finite: bool = True
) -> "torch.Tensor":
    """The clip as a 1-D float32 tensor: channels averaged, resampled, cut at max_seconds.

    A sample that is not finite is refused, unless `finite=False`.
    """
    import torch

    with open_audio(path, root) as sound:
        rate = sound.samplerate
        _check_rate(rate, sample_rate, printable_path(path))
        samples = _decode(sound, printable_path(path), 0, round(max_seconds * rate), finite).mean(
            axis=1, dtype=np.float32
        )
    audio = torch.from_numpy(samples)
    if rate != sample_rate:
        audio = _resampler(rate, sample_rate)(audio)
    return audio[: round(max_seconds * sample_rate)]


def _info(sound: soundfile.SoundFile) -> AudioInfo:
    return AudioInfo(sound.frames, sound.samplerate, sound.channels, sound.format, sound.subtype)


def _slack(sound: soundfile.SoundFile) -> int:
    return MP3_SLACK if sound.format == "MP3" else 0


def _decode(sound: soundfile.SoundFile, name: str, done: int, frames: int, finite: bool = True) -> np.ndarray:
    """The next samples, [frames, channels]; refuses missing ones, and non-finite ones if `finite`."""
    expected = min(frames, sound.frames - done)
    try:
        samples = sound.read(expected, dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        reason = error.error_string.rstrip(".")
        raise AudioError(f"{name} is damaged or truncated ({reason})", EXPORT, TRUNCATED) from error
    if len(samples) < max(1, expected - _slack(sound)):
        found, promised = (done + len(samples)) / sound.samplerate, sound.frames / sound.samplerate
        raise truncated_error(name, f"its header gives {promised:.2f} s, {found:.2f} s can be decoded")
    whole = np.isfinite(samples).all(axis=1)
    if finite and not whole.all():
        second = (done + int(whole.argmin())) / sound.samplerate
        raise AudioError(f"{name} has a NaN or infinite sample at {second:.3f} s", EXPORT, NOT_FINITE)
    return samples


def _check_rate(rate: int, sample_rate: int, name: str) -> None:
    common = gcd(rate, sample_rate)
    if (rate // common) * (sample_rate // common) > LARGEST_RATIO:
        what = f"{name} has {rate:,} Hz, which cannot be resampled to {sample_rate:,} Hz with a reasonable filter"
        raise AudioError(what, f"convert it to {sample_rate:,} Hz")


@lru_cache(maxsize=16)
def _resampler(rate: int, sample_rate: int) -> Any:
    from torchaudio.transforms import Resample

    return Resample(rate, sample_rate)

"""Speech from espeak-ng, from the wheel `espeakng-loader`: no download, deterministic."""

import _ctypes
import ctypes
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from diagnose.common.errors import InputError
from diagnose.common.interrupts import deferred_interrupts

SAMPLE_RATE = 16_000
_SYNCHRONOUS, _DO_NOT_EXIT, _UTF8 = 2, 0x8000, 1
_RATE, _VOLUME, _PITCH = 1, 2, 3
# espeak-ng at its default volume of 100 clips on some variants.
_SAFE_VOLUME = 60
_ONE_AT_A_TIME = threading.Lock()
_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


@dataclass(frozen=True)
class Voice:
    """One speaker: a Vietnamese and an English accent, a timbre (an espeak-ng variant) and a pitch."""

    vietnamese: str
    english: str
    variant: str
    pitch: int = 50

    def name(self, language: str) -> str:
        """The espeak-ng name of this speaker in one language."""
        return f"{self.vietnamese if language == 'vi' else self.english}+{self.variant}"


def speak(segments: Sequence[tuple[str, str]], voice: Voice, speed: int) -> np.ndarray:
    """Speech of (language, text) segments as 16 kHz int16 samples; a pure function of its arguments."""
    # Ctrl-C waits for the end of the clip: raised in a callback from C, it would be lost and the samples with it.
    with deferred_interrupts(), _ONE_AT_A_TIME, _engine() as (library, rate, chunks):
        for language, text in segments:
            _say(library, text, voice.name(language), voice.pitch, speed)
        samples = np.concatenate([np.zeros(0, np.int16), *chunks])
    return _resample(samples, rate)


@contextmanager
def _engine() -> Iterator[tuple[ctypes.CDLL, int, list[np.ndarray]]]:
    """A newly loaded espeak-ng: its globals (phase, flutter) would change the next clip."""
    loader = _loader()
    library = ctypes.CDLL(loader.get_library_path())
    library.espeak_Synth.argtypes = [ctypes.c_char_p, ctypes.c_size_t, *[ctypes.c_uint] * 4, *[ctypes.c_void_p] * 2]
    chunks: list[np.ndarray] = []
    callback = _Callback(lambda samples, count, _: _keep(chunks, samples, count))
    try:
        rate = library.espeak_Initialize(_SYNCHRONOUS, 0, str(loader.get_data_path()).encode(), _DO_NOT_EXIT)
        if rate <= 0:
            raise InputError(
                "espeak-ng does not start: reinstall it with `pip install --force-reinstall espeakng-loader`"
            )
        library.espeak_SetSynthCallback(callback)
        library.espeak_ng_SetRandSeed(ctypes.c_long(1))  # it seeds the noise of breath by the clock
        yield library, rate, chunks
        library.espeak_Terminate()
    finally:
        close: Any = getattr(_ctypes, "dlclose", None) or getattr(_ctypes, "FreeLibrary", None)
        close(library._handle)


def _loader() -> Any:
    try:
        import espeakng_loader
    except ImportError:
        raise InputError("the demo needs espeak-ng, which is not installed: run `pip install 'gonogo[demo]'`") from None
    return espeakng_loader


def _keep(chunks: list[np.ndarray], samples: Any, count: int) -> int:
    if samples and count:
        chunks.append(np.ctypeslib.as_array(samples, (count,)).copy())
    return 0


def _say(library: ctypes.CDLL, text: str, name: str, pitch: int, speed: int) -> None:
    if library.espeak_SetVoiceByName(name.encode()):
        raise InputError(
            f"espeak-ng has no voice {name!r}: `espeakng_loader/espeak-ng-data` lists the available voices"
        )
    for parameter, value in ((_RATE, speed), (_PITCH, pitch), (_VOLUME, _SAFE_VOLUME)):
        library.espeak_SetParameter(parameter, value, 0)
    encoded = text.encode()
    library.espeak_Synth(encoded, len(encoded) + 1, 0, 1, 0, _UTF8, None, None)
    library.espeak_Synchronize()


@lru_cache(maxsize=2)
def _resampler(rate: int) -> Any:
    from torchaudio.transforms import Resample

    return Resample(rate, SAMPLE_RATE)


def _resample(samples: np.ndarray, rate: int) -> np.ndarray:
    import torch

    wave = _resampler(rate)(torch.from_numpy(samples.astype(np.float32)))
    return wave.round().clamp(-32768, 32767).to(torch.int16).numpy()

"""Opens one clip safely: inside the data root, a regular file, not truncated, of a known format."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import soundfile

from trainer.data.audio.errors import CONVERT, EMPTY, EXPORT, MISSING, OUTSIDE, AudioError, printable_path
from trainer.data.audio.headers import check_container, unknown_length

FORMATS = ("WAV", "WAVEX", "RF64", "FLAC", "OGG", "MP3")  # those whose length we can check
ENDLESS = 2**62  # what libsndfile says of a FLAC stream without a length


@contextmanager
def open_audio(path: str | Path, root: str | Path) -> Iterator[soundfile.SoundFile]:
    """Open a clip by descriptor: a pipe cannot block, and the name does not decide the format."""
    name, handle = printable_path(path), _open_file(path, resolve_inside_root(path, root))
    try:
        check_container(handle, name)
        with _open_sound(handle, name) as sound:
            yield sound
    finally:
        os.close(handle)


def resolve_inside_root(path: str | Path, root: str | Path) -> Path:
    """The file of an audio path, links followed; refuses one outside the data root."""
    if not str(path).strip():
        raise AudioError("the audio path is empty", "name the file", MISSING)
    try:
        home = Path(root).resolve()
        target = (home / path).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise AudioError(f"{printable_path(path)} is not a path ({error})", "correct the path", MISSING) from error
    if not target.is_relative_to(home):
        remedy = f"move the file below {root} or set paths.data_root"
        raise AudioError(f"{printable_path(path)} is outside the data root", remedy, OUTSIDE)
    return target


def _open_file(path: str | Path, target: Path) -> int:
    try:
        handle = os.open(target, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        hint = ", and its path has backslashes where / is expected" if "\\" in str(path) else ""
        what = f"{printable_path(path)} cannot be opened ({error.strerror}{hint})"
        raise AudioError(what, "check the path and paths.data_root", MISSING) from error
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_size:
        return handle
    os.close(handle)
    if stat.S_ISREG(status.st_mode):
        raise AudioError(f"{printable_path(path)} is empty (0 bytes)", EXPORT, EMPTY)
    raise AudioError(f"{printable_path(path)} is a folder, a pipe or a device, not a file", "pass an audio file")


def _open_sound(handle: int, name: str) -> soundfile.SoundFile:
    try:
        sound = soundfile.SoundFile(handle, closefd=False)
    except soundfile.LibsndfileError as error:
        reason = error.error_string.rstrip(".")
        raise AudioError(f"{name} is not readable audio ({reason})", CONVERT) from error
    failure = None
    if sound.format not in FORMATS:
        failure = AudioError(f"{name} is {sound.format}, expected WAV, FLAC, OGG or MP3", CONVERT)
    elif sound.frames >= ENDLESS:
        failure = unknown_length(name)
    elif not sound.frames:
        failure = AudioError(f"{name} has no samples", EXPORT, EMPTY)
    if failure:
        sound.close()
        raise failure
    return sound

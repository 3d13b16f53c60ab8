"""Errors of one audio file."""

from pathlib import Path

from diagnose.common.errors import InputError

EXPORT = "copy or export the file again"
CONVERT = "convert it to WAV or FLAC"
MISSING, OUTSIDE, EMPTY = "missing audio", "audio outside the data root", "empty audio"
TRUNCATED, UNREADABLE, NOT_FINITE = "truncated audio", "unreadable audio", "NaN or Inf in audio"
AUDIO_RULES = (MISSING, OUTSIDE, EMPTY, TRUNCATED, UNREADABLE, NOT_FINITE)


class AudioError(InputError):
    """A clip that cannot be used; `rule` is the one of AUDIO_RULES under which it is counted."""

    def __init__(self, what: str, remedy: str = "", rule: str = UNREADABLE) -> None:
        # A DataLoader worker hands over its whole traceback as the message: the end of it is ours.
        self.what = what.rstrip().rsplit("AudioError: ", 1)[-1] if what.startswith("Caught ") else what
        self.remedy, self.rule = remedy, rule
        super().__init__(f"{self.what}; {remedy}" if remedy else self.what)


def printable_path(path: str | Path) -> str:
    """A path as it may stand in a sentence, whatever characters it has."""
    return str(path) if str(path).isprintable() else repr(str(path))

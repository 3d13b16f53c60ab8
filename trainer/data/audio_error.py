"""What is wrong with one clip, in one sentence."""

from pathlib import Path

from trainer.errors import InputError

AGAIN = "copy or export it again"
CONVERT = "convert it to WAV or FLAC"


class AudioError(InputError):
    """One clip cannot be used. `rule` is the name under which such clips are counted."""

    def __init__(self, what: str, remedy: str = "", rule: str = "unreadable audio") -> None:
        # A DataLoader worker hands over its whole traceback as the message: the end of it is ours.
        self.what = what.rstrip().rsplit("AudioError: ", 1)[-1] if what.startswith("Caught ") else what
        self.remedy, self.rule = remedy, rule
        super().__init__(f"{self.what}; {remedy}" if remedy else self.what)


def shown(path: str | Path) -> str:
    """A path as it may stand in a sentence, whatever characters it has."""
    return str(path) if str(path).isprintable() else repr(str(path))

"""What a person did wrong, in one sentence: the file, the row or key, what was found, what was expected, the remedy."""

from textwrap import shorten

import click

# Of an error that the system raised on a file.
REMEDIES = {
    FileNotFoundError: "; check the path",
    PermissionError: "; check who may read and write it",
    IsADirectoryError: "; name a file",
    NotADirectoryError: "; name a directory",
}


class InputError(click.ClickException):
    """Bad input. Shown without a traceback; the command ends with exit code 2."""

    exit_code = 2


def short_error(error: BaseException) -> str:
    """An error in one line; one that was written for people, or on a file, needs no class name before it."""
    if isinstance(error, click.ClickException):
        return error.message
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        remedy = next((text for kind, text in REMEDIES.items() if isinstance(error, kind)), "")
        return f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}{remedy}"
    return shorten(f"{type(error).__name__}: {error}".rstrip(": "), width=400, placeholder=" …")

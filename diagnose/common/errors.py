"""What a person did wrong, in one sentence: the file, the row or key, what was found, what was expected, the remedy."""

from textwrap import shorten

import click


class InputError(click.ClickException):
    """Bad input. Shown without a traceback; the command ends with exit code 2."""

    exit_code = 2


def short_error(error: BaseException) -> str:
    """An error in one line; one that was written for people needs no class name before it."""
    if isinstance(error, click.ClickException):
        return error.message
    return shorten(f"{type(error).__name__}: {error}".rstrip(": "), width=400, placeholder=" …")

"""What a person did wrong, in one sentence: the file, the row or key, what was found, what was expected, the remedy."""

import click


class InputError(click.ClickException):
    """Bad input. Shown without a traceback; the command ends with exit code 2."""

    exit_code = 2

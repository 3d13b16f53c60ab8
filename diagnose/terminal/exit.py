"""How a command ends when something went wrong: one sentence on stderr, an exit code, never a traceback."""

import errno
import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import NoReturn

import click

from diagnose.common.display import display
from diagnose.common.errors import short_error
from diagnose.engine.report import Stopped
from diagnose.terminal.console import console
from diagnose.version import __version__

REFUSED = (errno.EIO, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ESTALE)


class ChosenExit(SystemExit):
    """An exit code that the command itself chose; any other SystemExit comes from code that it ran."""


def exit_on_error(error: BaseException, with_traceback: bool = False) -> NoReturn:
    """Ends the command with one message and the exit code that belongs to it."""
    if isinstance(error, click.exceptions.Abort) and isinstance(error.__cause__, EOFError):
        error = error.__cause__  # click takes the end of a file for Ctrl-C
    if isinstance(error, ChosenExit):
        raise error
    if isinstance(error, SystemExit):
        place = traceback.extract_tb(error.__traceback__)[-1]
        fail(f"error: {place.filename}, line {place.lineno}: sys.exit was called before the result; remove it", 2)
    if isinstance(error, click.exceptions.Abort | KeyboardInterrupt):
        cause = error.__cause__ if isinstance(error.__cause__, KeyboardInterrupt) else error
        fail(str(cause) or "stopped by Ctrl-C", 130)
    if isinstance(error, click.ClickException):
        hint = f" (see {error.ctx.command_path} --help)" if isinstance(error, click.UsageError) and error.ctx else ""
        fail(f"error: {error.format_message()}{hint}", max(2, error.exit_code))  # 1 is kept for the verdict no-go
    if isinstance(error, Stopped):
        from diagnose.render.stopped_run import show_stopped

        show_stopped(error, console(stderr=True))
        sys.exit(1)
    if isinstance(error, OSError | MemoryError) and (sentence := resource_sentence(error)):
        fail(f"error: {sentence}", 2)
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):  # of pathlib, without an errno
        fail(f"error: {error}; name the file itself", 2)
    if with_traceback:
        click.echo("".join(traceback.format_exception(error)).rstrip(), err=True)
    what = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    fail(f"error: unexpected {what}; this is a fault in GoNoGo, the details are in {write_crash_log(error)}", 2)


def resource_sentence(error: OSError | MemoryError) -> str:
    """Of what the system refused: a file without permission, a limit, memory; "" where it names no file."""
    if isinstance(error, MemoryError):
        return "out of memory; use smaller batches or a smaller model, or raise the limit (ulimit -v)"
    if error.errno == errno.ENOMEM:
        return "out of memory; end other programs, or raise the limit (ulimit -v)"
    if error.errno in (errno.EFBIG, errno.ENOSPC, errno.EDQUOT):
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}cannot be written ({os.strerror(error.errno)}); free disk space, or raise the limit (ulimit -f)"
    if error.filename is None and error.errno in REFUSED:
        reason = os.strerror(error.errno).lower()
        return (
            f"the system refused to read or write a file ({reason}); check the disk and permissions, then start again"
        )
    return short_error(error) if error.filename is not None and error.strerror else ""


def exit_on_broken_pipe() -> NoReturn:
    """Nobody reads any more (a pipe into head): no message, and none from the last flush either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise ChosenExit(141)


def fail(message: str, code: int) -> NoReturn:
    display.print_line(message)
    raise ChosenExit(code)


def write_crash_log(error: BaseException) -> Path:
    """Writes the traceback to the user's log folder, or to a temporary one when there is none to write to."""
    from platformdirs import user_log_path

    head = f"gonogo {__version__}, python {platform.python_version()}, {platform.platform()}\n{' '.join(sys.argv)}\n\n"
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    for folder in (user_log_path("gonogo", appauthor=False), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(head + "".join(traceback.format_exception(error)), encoding="utf-8")
        except OSError:
            continue
        return folder / name
    return Path("(nowhere: no folder could be written to)")

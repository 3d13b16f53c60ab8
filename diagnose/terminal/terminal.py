"""What both commands share at the terminal: stdout and stderr, -q and -v, and how errors end.

    @click.group(cls=terminal.CommandGroup)      # gives every command beneath it -q, -v, --dry_run = --dry-run,
    def main() -> None: ...                      # and the error boundary: no traceback ever reaches a user

    terminal.print_result(text)                  # what the user asked for: stdout
    terminal.log_line(text)                      # stderr, silent under -q
    terminal.print_verbose(text)                 # stderr, only under -v
    terminal.warn(text)                          # stderr, always
    logging.getLogger(__name__).info(text)       # the same as log_line, for code that knows no terminal
    terminal.console().print(table)              # rich, on stdout; console(stderr=True) for stderr

Exit codes: 0 done, 1 the verdict no-go (a command says so by ctx.exit(1)), 2 bad input or our own fault, 130 Ctrl-C.
"""

import logging
import sys
from collections.abc import Sequence
from typing import Any

import click

from diagnose.common.progress import Verbosity, log_line, verbosity
from diagnose.terminal.console import console as console
from diagnose.terminal.exit import exit_on_broken_pipe, exit_on_error


def print_result(text: str) -> None:
    click.echo(text)


def print_verbose(text: str) -> None:
    if verbosity.get() >= Verbosity.VERBOSE:
        click.echo(text, err=True)


def warn(text: str) -> None:
    click.echo(f"warning: {text}", err=True)


class TerminalLogHandler(logging.Handler):
    """Prints what the packages log: info as log_line does, debug under -v only, warnings always."""

    def emit(self, record: logging.LogRecord) -> None:
        chatty = log_line if record.levelno >= logging.INFO else print_verbose
        (warn if record.levelno >= logging.WARNING else chatty)(record.getMessage())


def attach_log_handler(*names: str) -> None:
    for logger in map(logging.getLogger, names):
        others = [handler for handler in logger.handlers if not isinstance(handler, TerminalLogHandler)]
        logger.handlers = [*others, TerminalLogHandler()]
        logger.setLevel(logging.DEBUG)


def _set_verbosity(context: click.Context, option: click.Parameter, is_set: bool) -> None:
    if is_set:
        verbosity.set(Verbosity.QUIET if option.name == "quiet" else Verbosity.VERBOSE)


def _options() -> list[click.Parameter]:
    common: dict[str, Any] = {"is_flag": True, "expose_value": False, "callback": _set_verbosity, "show_default": False}
    return [
        click.Option(["-q", "--quiet"], help="Only what was asked for, warnings and errors.", **common),
        click.Option(["-v", "--verbose"], help="More talk, on stderr.", **common),
    ]


class CommandGroup(click.Group):
    """A group with -q and -v whose commands take --dry_run for --dry-run, and which never shows a traceback."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        known = {"token_normalize_func": with_dashes, "show_default": True, "max_content_width": 110}
        settings["context_settings"] = {**known, **(settings.get("context_settings") or {})}
        super().__init__(*args, **settings)
        self.params += _options()

    def main(self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        verbosity.set(Verbosity.NORMAL)
        attach_log_handler("trainer", "diagnose", "probes")
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        try:
            code = super().main(args, standalone_mode=False, **extra)
            sys.stdout.flush()
        except BrokenPipeError:
            exit_on_broken_pipe()
        except BaseException as error:
            exit_on_error(error, with_traceback=verbosity.get() == Verbosity.VERBOSE)
        sys.exit(code if isinstance(code, int) else 0)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        if not isinstance(cmd, CommandGroup):
            cmd.params += _options()
        super().add_command(cmd, name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click itself would end with 1, which is kept for no-go
            exit_on_broken_pipe()


def with_dashes(token: str) -> str:
    """Option and command names only; click leaves the values of options alone."""
    return token.replace("_", "-")

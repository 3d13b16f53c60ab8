"""What both commands share at the terminal: where words go, how loud, and how errors end.

    @click.group(cls=terminal.Commands)          # gives every command beneath it -q, -v, --dry_run = --dry-run,
    def main() -> None: ...                      # and the error boundary: no traceback ever reaches a user

    terminal.answer(text)                        # what was asked for: stdout
    terminal.say(text)                           # talk: stderr, silent under -q
    terminal.detail(text)                        # more talk: stderr, only under -v
    terminal.warn(text)                          # stderr, always
    logging.getLogger(__name__).info(text)       # the same as say, for code that knows no terminal
    terminal.console().print(table)              # rich, on stdout; console(stderr=True) for talk

Exit codes: 0 done, 1 the verdict no-go (a command says so by ctx.exit(1)), 2 bad input or our own fault, 130 Ctrl-C.
"""

import logging
import sys
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import click

from diagnose.terminal.exit import exit_on_broken_pipe, exit_on_error

if TYPE_CHECKING:
    from rich.console import Console


class Verbosity(IntEnum):
    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


loudness: ContextVar[Verbosity] = ContextVar("loudness", default=Verbosity.NORMAL)
hearers: list[Callable[[Verbosity], object]] = []  # called with the loudness whenever it is set


def set_loudness(level: Verbosity) -> None:
    loudness.set(level)
    for hear in hearers:
        hear(level)


def print_result(text: str) -> None:
    click.echo(text)


def print_info(text: str) -> None:
    if loudness.get() >= Verbosity.NORMAL:
        click.echo(text, err=True)


def print_verbose(text: str) -> None:
    if loudness.get() >= Verbosity.VERBOSE:
        click.echo(text, err=True)


def warn(text: str) -> None:
    click.echo(f"warning: {text}", err=True)


class TerminalLogHandler(logging.Handler):
    """What the packages log becomes talk: info is said, debug is a detail, warnings always come through."""

    def emit(self, record: logging.LogRecord) -> None:
        speak = (
            warn
            if record.levelno >= logging.WARNING
            else print_info
            if record.levelno >= logging.INFO
            else print_verbose
        )
        speak(record.getMessage())


def attach_log_handler(*names: str) -> None:
    for logger in map(logging.getLogger, names):
        logger.handlers = [handler for handler in logger.handlers if not isinstance(handler, TerminalLogHandler)] + [
            TerminalLogHandler()
        ]
        logger.setLevel(logging.DEBUG)


def console(stderr: bool = False) -> "Console":
    """A rich console: colours only on a terminal and without NO_COLOR; square brackets in data stay what they are."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 120
    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)


def _flag(context: click.Context, option: click.Parameter, given: bool) -> None:
    if given:
        set_loudness(Verbosity.QUIET if option.name == "quiet" else Verbosity.VERBOSE)


def _options() -> list[click.Parameter]:
    common: dict[str, Any] = {"is_flag": True, "expose_value": False, "callback": _flag, "show_default": False}
    return [
        click.Option(["-q", "--quiet"], help="Only what was asked for, warnings and errors.", **common),
        click.Option(["-v", "--verbose"], help="More talk, on stderr.", **common),
    ]


class Command(click.Command):
    """A command with -q and -v."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params += _options()


class CommandGroup(click.Group):
    """A group with -q and -v whose commands take --dry_run for --dry-run, and which never shows a traceback."""

    command_class = Command

    def __init__(self, *args: Any, **settings: Any) -> None:
        known = {"token_normalize_func": with_dashes, "show_default": True, "max_content_width": 110}
        settings["context_settings"] = {**known, **(settings.get("context_settings") or {})}
        super().__init__(*args, **settings)
        self.params += _options()

    def main(self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        set_loudness(Verbosity.NORMAL)
        attach_log_handler("trainer", "diagnose", "probes")
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        try:
            code = super().main(args, standalone_mode=False, **extra)
            sys.stdout.flush()
        except BrokenPipeError:
            exit_on_broken_pipe()
        except BaseException as error:
            exit_on_error(error, with_traceback=loudness.get() == Verbosity.VERBOSE)
        sys.exit(code if isinstance(code, int) else 0)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        if not isinstance(cmd, Command | CommandGroup):
            cmd.params += _options()  # a plain click command
        super().add_command(cmd, name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click itself would end with 1, which is kept for no-go
            exit_on_broken_pipe()


def with_dashes(token: str) -> str:
    """Option and command names only; click leaves the values of options alone."""
    return token.replace("_", "-")

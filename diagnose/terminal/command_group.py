"""The click group of both commands: common options, hints for what was typed wrongly, and the error boundary."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from diagnose.common.progress import Verbosity, verbosity
from diagnose.terminal.exit import exit_on_broken_pipe, exit_on_error
from diagnose.terminal.log_handler import attach_log_handler
from diagnose.terminal.supervisor import supervise

CONFIGS = (".yaml", ".yml")


def _set_verbosity(context: click.Context, option: click.Parameter, value: int) -> None:
    if value:
        verbosity.set(Verbosity.QUIET if option.name == "quiet" else Verbosity(min(1 + value, Verbosity.ALL)))


def _options() -> list[click.Parameter]:
    common: dict[str, Any] = {"expose_value": False, "callback": _set_verbosity, "show_default": False}
    more = "More detail; -vv shows everything."
    return [
        click.Option(["-q", "--quiet"], is_flag=True, help="Only the result, warnings and errors.", **common),
        click.Option(["-v", "--verbose"], count=True, help=more, **common),
    ]


class UnexpectedArguments(click.Argument):
    """What stands behind a command that takes no more arguments; not shown in its usage."""

    def __init__(self) -> None:
        super().__init__(["unexpected"], nargs=-1, expose_value=False, callback=_refuse)

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        return []


def _refuse(context: click.Context, argument: click.Parameter, values: tuple[str, ...]) -> None:
    if not values:
        return
    sentence = f"unexpected argument {values[0]!r}"
    if any("--config" in param.opts for param in context.command.params):
        sentence += f"; to name a configuration: {context.command_path} --config {values[0]}"
    raise click.UsageError(sentence, context)


class CommandGroup(click.Group):
    """A group with -q and -v whose commands take --dry_run for --dry-run, and which never shows a traceback.

    `config_command`: what to type for a configuration that was given in the place of a command; `configs`: the
    bare names of configurations.
    """

    def __init__(
        self, *args: Any, config_command: str = "", configs: Callable[[], Sequence[str]] = tuple, **settings: Any
    ) -> None:
        known = {"token_normalize_func": with_dashes, "show_default": True, "max_content_width": 110}
        known["help_option_names"] = ["-h", "--help"]
        settings["context_settings"] = {**known, **(settings.get("context_settings") or {})}
        settings.setdefault("no_args_is_help", True)
        super().__init__(*args, **settings)
        self.config_command, self.configs = config_command, configs
        self.params += _options()

    def main(self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        run = partial(self._run_and_exit, args, **extra)
        if args is None and hasattr(os, "fork"):  # the program itself, not a call from Python
            supervise(run)
        run()

    def _run_and_exit(self, args: Sequence[str] | None, **extra: Any) -> NoReturn:
        """Ends with sys.exit, whatever happens."""
        verbosity.set(Verbosity.NORMAL)
        attach_log_handler("trainer", "diagnose", "probes")
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        try:
            code = super().main(args, standalone_mode=False, **extra)
            sys.stdout.flush()
        except BrokenPipeError:
            exit_on_broken_pipe()
        except NoArgsIsHelpError as shown:
            click.echo(shown.format_message())
            sys.exit(2)
        except BaseException as error:
            exit_on_error(error, with_traceback=verbosity.get() >= Verbosity.VERBOSE)
        sys.exit(code if isinstance(code, int) else 0)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        known = any(param.name == "quiet" for param in cmd.params)  # one that both programs have
        if not isinstance(cmd, CommandGroup) and not known:
            cmd.params += _options()
            if not any(param.nargs == -1 for param in cmd.params):
                cmd.params.append(UnexpectedArguments())
        super().add_command(cmd, name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click itself would end with 1, which is kept for no-go
            exit_on_broken_pipe()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A configuration in the place of a command gets what to type; click itself suggests similar commands."""
        word = args[0]
        if self.config_command and (word.endswith(CONFIGS) or word in self.configs()):
            what_to_type = f"to name a configuration: {self.config_command} --config {word}"
            raise click.UsageError(f"there is no command {word!r}; {what_to_type}", ctx)
        return super().resolve_command(ctx, args)


def with_dashes(token: str) -> str:
    """Option and command names only; click leaves the values of options alone."""
    return token.replace("_", "-")

"""What both commands share at the terminal: stdout and stderr, -q and -v, and how errors end.

    @click.group(cls=terminal.CommandGroup)      # gives every command beneath it -h, -q, -v, --dry_run = --dry-run,
    def main() -> None: ...                      # and the error boundary: no traceback ever reaches a user

    terminal.print_result(text)                  # what the user asked for: stdout
    terminal.log_line(text)                      # stderr, silent under -q
    terminal.print_verbose(text)                 # stderr, only under -v
    terminal.warn(text)                          # stderr, always
    logging.getLogger(__name__).info(text)       # the same as log_line, for code that knows no terminal
    terminal.console().print(table)              # rich, on stdout; console(stderr=True) for stderr

Exit codes: 0 done, 1 the verdict no-go (a command says so by ctx.exit(1)), 2 bad input or our own fault, 130 Ctrl-C.
"""

from diagnose.common.display import display
from diagnose.common.progress import log_line as log_line
from diagnose.terminal.command_group import CommandGroup as CommandGroup
from diagnose.terminal.console import console as console
from diagnose.terminal.log_handler import attach_log_handler as attach_log_handler
from diagnose.terminal.log_handler import print_verbose as print_verbose
from diagnose.terminal.log_handler import warn as warn


def print_result(text: str) -> None:
    display.print_line(text, err=False)

"""What the packages log, as lines for a person."""

import logging

from diagnose.common.display import display
from diagnose.common.progress import Verbosity, log_line, verbosity


def print_verbose(text: str) -> None:
    if verbosity.get() >= Verbosity.VERBOSE:
        display.print_line(text)


def warn(text: str) -> None:
    display.print_line(f"warning: {text}")


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

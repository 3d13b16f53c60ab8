"""logs/train.log: everything the packages log during a run, with the time."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PACKAGES = ("trainer", "diagnose", "probes")


class _RunLogHandler(logging.FileHandler):
    """A log that cannot be written any more is closed; it must not end the run, nor fill the screen."""

    def handleError(self, record: logging.LogRecord) -> None:
        for name in PACKAGES:
            logging.getLogger(name).removeHandler(self)
        logging.getLogger(__name__).warning("%s can no longer be written", self.baseFilename)


@contextmanager
def log_to_file(run: Path) -> Iterator[None]:
    """Append what is logged to the run's log file."""
    path = run / "logs" / "train.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = _RunLogHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.setLevel(logging.INFO)
    loggers = [logging.getLogger(name) for name in PACKAGES]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(min(logger.level or logging.INFO, logging.INFO))
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
        with suppress(OSError):  # a full disk loses the last lines; the run has reported it already
            handler.close()


def log_line(run: Path, text: str) -> None:
    """Log one line, to the run's log file too."""
    with log_to_file(run):
        logging.getLogger(__name__).info(text)

"""Silences the logging of transformers."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silence_transformers() -> Iterator[None]:
    """Without the progress bars and warnings of transformers."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()

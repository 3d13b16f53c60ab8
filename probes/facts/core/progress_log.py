"""Logs the progress of long measurements, and silences transformers while they run."""

import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar


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


Item = TypeVar("Item")
EVERY = 5.0  # seconds between two lines; what is done sooner says nothing
log = logging.getLogger(__name__)


def log_progress(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The items, with a line now and then: `1,200 of 100,000 audio files decoded, about 40 s left`."""
    start = said = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - said >= EVERY and done < total:
            said = now
            left = (now - start) / done * (total - done)
            log.info("%s of %s %s, about %.0f s left", f"{done:,}", f"{total:,}", what, left)

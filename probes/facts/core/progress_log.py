"""Logs the progress of a long measurement; commands show it."""

import logging
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

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

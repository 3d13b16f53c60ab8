"""Reads an item of the training set in a forked child; distinguishes a missing decoder from a bad file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from probes.facts.core.failure import one_line, user_line
from probes.facts.core.fork import ChildRaised, run_in_fork

# What decoders say when a library or a program beside them is not there, or is of another build.
WANTING = re.compile(
    r"torchcodec|ffmpeg|libsndfile|shared object|shared library|dlopen|audio backend|undefined symbol", re.I
)


@dataclass(frozen=True)
class ReadAttempt:
    """How one item after the other was read, up to the first that could be."""

    tried: int
    read: int
    error: str = ""
    line: str = ""
    missing: bool = False


def read_one_of(dataset: Any, numbers: Sequence[int]) -> ReadAttempt:
    """The first of these items that can be read; raises CannotFork where there is no child to be had."""
    try:
        return run_in_fork(lambda: _read(dataset, numbers))
    except ChildRaised as end:  # a library that ends python is as good as missing
        return ReadAttempt(1, 0, f"{end.error}: {end.message}", end.line, missing=end.error == "ProcessDied")


def _read(dataset: Any, numbers: Sequence[int]) -> ReadAttempt:
    last = ReadAttempt(0, 0)
    for tried, number in enumerate(numbers, start=1):
        try:
            dataset[number] if hasattr(dataset, "__getitem__") else next(iter(dataset))
        except Exception as error:
            text = f"{type(error).__name__}: {one_line(str(error))}"
            last = ReadAttempt(tried, 0, text, user_line(error), last.missing or _lacks_library(error))
        else:
            return ReadAttempt(tried, 1)
    return last


def _lacks_library(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ImportError) or WANTING.search(str(error)):
            return True
        error = error.__cause__ or error.__context__
    return False

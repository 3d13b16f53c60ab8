"""Reads an item of the training set as the run will, in a forked child; and tells a missing decoder from a bad file."""

import re
from collections.abc import Iterator, Sequence
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
        told: ReadAttempt = run_in_fork(lambda: _read(dataset, numbers))
    except ChildRaised as end:  # a library that ends python is as good as missing
        return ReadAttempt(1, 0, f"{end.error}: {end.message}", end.line, missing=end.error == "ProcessDied")
    return told


def _read(dataset: Any, numbers: Sequence[int]) -> ReadAttempt:
    last = ReadAttempt(0, 0)
    for tried, number in enumerate(numbers, start=1):
        try:
            dataset[number] if hasattr(dataset, "__getitem__") else next(iter(dataset))
        except Exception as error:
            said = f"{type(error).__name__}: {one_line(str(error))}"
            last = ReadAttempt(tried, 0, said, user_line(error), last.missing or _wants(error))
        else:
            return ReadAttempt(tried, 1)
    return last


def _wants(error: BaseException) -> bool:
    return any(isinstance(one, ImportError) or WANTING.search(str(one)) for one in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__

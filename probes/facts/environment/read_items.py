"""Reads an item of the training set as the run will, in a forked child; and tells a missing decoder from a bad file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from probes.facts.core.failure import in_short, nearest_line
from probes.facts.core.fork import ChildRaised, in_child

# What decoders say when a library or a program beside them is not there, or is of another build.
WANTING = re.compile(
    r"torchcodec|ffmpeg|libsndfile|shared object|shared library|dlopen|audio backend|undefined symbol", re.I
)


@dataclass(frozen=True)
class Attempt:
    """How one item after the other was read, up to the first that could be."""

    tried: int
    read: int
    error: str = ""
    line: str = ""
    missing: bool = False


def read_one_of(dataset: Any, numbers: Sequence[int]) -> Attempt:
    """The first of these items that can be read; raises CannotFork where there is no child to be had."""
    try:
        told: Attempt = in_child(lambda: _read(dataset, numbers))
    except ChildRaised as end:  # a library that ends python is as good as missing
        return Attempt(1, 0, f"{end.error}: {end.message}", end.line, missing=end.error == "ProcessDied")
    return told


def _read(dataset: Any, numbers: Sequence[int]) -> Attempt:
    last = Attempt(0, 0)
    for tried, number in enumerate(numbers, start=1):
        try:
            dataset[number] if hasattr(dataset, "__getitem__") else next(iter(dataset))
        except Exception as error:
            said = f"{type(error).__name__}: {in_short(str(error))}"
            last = Attempt(tried, 0, said, nearest_line(error), last.missing or _wants(error))
        else:
            return Attempt(tried, 1)
    return last


def _wants(error: BaseException) -> bool:
    return any(isinstance(one, ImportError) or WANTING.search(str(one)) for one in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__

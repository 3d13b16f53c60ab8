"""A trait: what a measurement assumes of a run, measured once; what needs it is skipped where it was not shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Trait:
    """`evidence` says how the trait was shown, or why it was not. The fact's name says what it is."""

    holds: bool
    evidence: str


Traits: TypeAlias = Mapping[str, Trait]


def in_words(name: str) -> str:
    """The name of a fact as a reader sees it: `rows_are_independent` is "rows are independent"."""
    return name.replace("_", " ")

"""Of the tokenizer and of the tables that its ids are looked up in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A matrix with one row for each id."""

    name: str
    rows: int


@dataclass(frozen=True)
class TokenTables:
    """The embedding that the decoder reads labels with, the one for inputs, and the head that scores them."""

    embedding: Table | None = None
    inputs: Table | None = None
    head: Table | None = None
    tied: bool | None = None  # head and embedding are one tensor; None: there are no two to compare
    flag: bool | None = None  # what the configuration says about that
    positions: int | None = None  # the longest labels that the decoder has places for
    positions_from: str = ""  # the setting that says so

"""Arguments by name: unknown ones, and columns that the Trainer removes."""

from dataclasses import dataclass

from probes.facts.settings.types import SettingLocation


@dataclass(frozen=True)
class ArgumentName:
    """A setting that the installed transformers does not know. `now`: what took its place; empty: nothing did."""

    place: SettingLocation
    removed: bool  # True: it was known to an earlier version
    now: str = ""
    nearest: str = ""


@dataclass(frozen=True)
class ArgumentNames:
    """How many settings there are, and those that are not known."""

    count: int
    unknown: tuple[ArgumentName, ...]
    version: str = ""


@dataclass(frozen=True)
class RemovedColumns:
    """Columns that the Trainer removes from the items before collating, and what the collator raises without them."""

    used: tuple[str, ...]
    removed: tuple[str, ...]
    model: str
    error: str = ""  # with the columns removed, where there is none without
    line: str = ""

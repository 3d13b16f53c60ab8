"""Types for the special tokens that labels begin with: task and language."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

TASKS = ("transcrib", "translat", "summar")
LANGUAGE = re.compile(
    r"<\|([a-z]{2,3})\|>|<2([a-z]{2,3})>|__([a-z]{2,3})__|([a-z]{2})_[A-Z]{2}|([a-z]{3})_[A-Z][a-z]{3}"
)


def language_of(names: Sequence[str]) -> str:
    """The language among these tokens, by its code; empty where there is none."""
    found = [match for name in names if (match := LANGUAGE.fullmatch(name))]
    return next(code for code in found[0].groups() if code) if found else ""


def task_of(names: Sequence[str]) -> str:
    """The token among these that names a task: it says so, or it is written as `<2something>`."""
    return next((name for name in names if is_task(name)), "")


def is_task(name: str) -> bool:
    return any(task in name.lower() for task in TASKS) or bool(re.fullmatch(r"<2\w{4,}>", name))


@dataclass(frozen=True)
class LabelPrefix:
    """The special tokens before the text of one row, by name."""

    where: str
    names: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        return task_of(self.names)

    @property
    def language(self) -> str:
        return language_of(self.names)


@dataclass(frozen=True)
class LabelPrefixes:
    """All rows of the drawn batches. `languages`: the expected language, by who names it."""

    rows: tuple[LabelPrefix, ...]
    tasks: tuple[str, ...] = ()  # task tokens of the tokenizer
    start: str = ""  # the decoder's start token by name
    languages: Mapping[str, str] = field(default_factory=dict)
    is_multitask: bool = True  # False: a model of one language and one task, whose labels have no prefix

"""A layer holds the values of one file or one --set; later layers win, key by key."""

from dataclasses import dataclass, field
from typing import Any

from diagnose.common.flat_keys import flatten_keys

Tree = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """The source of a value: a file and its line, --set, or default."""

    name: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.name}:{self.line}" if self.line else self.name


DEFAULT = Source("default")
SET = Source("--set")


@dataclass(frozen=True)
class ConfigProblem:
    """One error in a configuration, with its source."""

    source: Source
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.source}: {self.key} {self.message}"


@dataclass(frozen=True)
class Layer:
    tree: Tree
    sources: dict[str, Source] = field(default_factory=dict)
    problems: tuple[ConfigProblem, ...] = ()
    notices: tuple[str, ...] = ()


def deep_merge(low: Tree, high: Tree) -> Tree:
    """`high` wins; sections are merged, everything else is replaced."""
    merged = dict(low)
    for key, value in high.items():
        both = isinstance(merged.get(key), dict) and isinstance(value, dict)
        merged[key] = deep_merge(merged[key], value) if both else value
    return merged


def is_parent_key(key: str, others: list[str]) -> bool:
    return any(other.startswith(f"{key}.") for other in others)


def merge(low: Layer, high: Layer) -> Layer:
    """Merge values; each keeps the source of the last layer that sets it."""
    changed = [key for key, value in flatten_keys(high.tree).items() if not isinstance(value, dict)]
    beneath = tuple(f"{key}." for key in changed)
    low_sources = {
        key: source
        for key, source in low.sources.items()
        if not key.startswith(beneath) and not is_parent_key(key, changed)
    }
    return Layer(
        deep_merge(low.tree, high.tree),
        {**low_sources, **high.sources},
        (*low.problems, *high.problems),
        (*low.notices, *high.notices),
    )

"""The mark @provider: a function whose name is the fact it gives and whose parameters are the facts it needs."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True)
class FactNeeds:
    """The facts a function needs; an optional one is a parameter with a default."""

    required: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        return self.required + self.optional


@cache
def facts_needed(function: Callable[..., Any]) -> FactNeeds:
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    required = tuple(p.name for p in named if p.default is p.empty)
    return FactNeeds(required, tuple(p.name for p in named if p.default is not p.empty))


@dataclass(frozen=True)
class Provider:
    """Gives one fact. Of several providers of one fact, the lowest priority that can give it does.

    `assumes` names the traits without which it says nothing; `evidence`, what it shows that every go needs.
    """

    function: Callable[..., Any]
    priority: int = 1
    assumes: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    may_be_empty: bool = False  # an empty list is an answer ("none"), not missing data
    reported: bool = False  # measured for the summary of a full preflight, whether a probe asks for it or not

    @property
    def fact(self) -> str:
        return self.function.__name__

    @property
    def source(self) -> str:
        return f"{self.function.__module__}.{self.fact}"

    @property
    def needs(self) -> FactNeeds:
        return facts_needed(self.function)

    def __call__(self, *facts: Any, **named: Any) -> Any:
        return self.function(*facts, **named)


def provider(
    function: Callable[..., Any] | None = None,
    *,
    priority: int = 1,
    assumes: tuple[str, ...] = (),
    evidence: tuple[str, ...] = (),
    may_be_empty: bool = False,
    reported: bool = False,
) -> Any:
    """Marks a function that gives the fact of its name: `@provider`, or `@provider(priority=2)` for a second source."""
    if function is not None:
        return Provider(function, priority, assumes, evidence, may_be_empty, reported)
    return lambda marked: Provider(marked, priority, assumes, evidence, may_be_empty, reported)

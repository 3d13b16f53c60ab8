"""The Context: each fact is computed at most once, when it is needed; an error is remembered."""

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from diagnose.common.errors import short_error
from diagnose.common.provider import Provider, facts_needed
from diagnose.engine.providers import ProviderPlan
from diagnose.engine.seeding import seeded
from diagnose.engine.types import Status
from diagnose.engine.user_facts import COLLECTIONS, MAY_BE_EMPTY

OnFact = Callable[[str], None]


class FactError(Exception):
    """A fact that cannot be had. `chain` leads from the requested fact to the one that failed."""

    status = Status.BLOCKED

    def __init__(self, reason: str, chain: tuple[str, ...] = (), trace: str = "") -> None:
        super().__init__(reason)
        self.reason, self.chain, self.trace = reason, chain, trace

    def __str__(self) -> str:
        return f"{' ← '.join(self.chain)}: {self.reason}" if self.chain else self.reason

    def of(self, fact: str) -> Self:
        """The same error for a fact that needs this one."""
        return type(self)(self.reason, (fact, *self.chain), self.trace)

    def plain(self) -> Self:
        """Without the frames of its traceback, which would keep batches and models alive."""
        return type(self)(self.reason, self.chain, self.trace)


class Unavailable(FactError):
    """Raised by a provider that finds nothing to measure (an empty manifest, no audio): what needs it is blocked."""


class FactFailed(FactError):
    """A provider raised: what needs it is blocked."""


class NotApplicable(FactError):
    """Raised by a provider where the question makes no sense (no CTC head, no GPU): what needs it is skipped."""

    status = Status.SKIPPED


class NotGiven(FactError):
    """Nobody gave the fact, nor what it could be derived from: what needs it is skipped."""

    status = Status.SKIPPED

    def of(self, fact: str) -> Self:
        """It names the missing facts itself: the way there says nothing more."""
        return self.plain()


class Context:
    """Facts by name. None means "there is none"; an empty list, tuple or dict is unavailable, never clean."""

    def __init__(
        self, facts: Mapping[str, Any], providers: Sequence[Provider] = (), on_fact: OnFact = lambda fact: None
    ) -> None:
        self._facts = {name: value for name, value in facts.items() if value is not None}
        self._plan = ProviderPlan(self._facts, providers)
        self._settled: dict[str, Any] = {}
        self._running: list[str] = []
        self._on_fact = on_fact
        self.seconds: dict[str, float] = {}

    def get(self, name: str) -> Any:
        """The fact's value; raises its FactError, a new one each time."""
        if name not in self._settled:
            self._settled[name] = self._settle(name)
        value = self._settled[name]
        if isinstance(value, FactError):
            raise value.of(name)
        return value

    def get_or_none(self, name: str) -> Any:
        """The fact's value; None if it cannot be had."""
        try:
            return self.get(name)
        except FactError:
            return None

    def arguments(self, function: Callable[..., Any]) -> dict[str, Any]:
        """The facts that a function names as its parameters."""
        needs = facts_needed(function)
        optional = {name: value for name in needs.optional if (value := self._if_there(name)) is not None}
        return {name: self.get(name) for name in needs.required} | optional

    def _if_there(self, name: str) -> Any:
        """None where there is no such fact: the default stands. One that failed still blocks: it is reported."""
        if name in self._running:
            return None
        try:
            return self.get(name)
        except FactFailed:
            raise
        except FactError:
            return None

    def _settle(self, name: str) -> Any:
        if name in self._facts:
            return _checked(name, self._facts[name])
        provider = self._plan.choose(name, frozenset(self._running))
        if provider is None:
            return NotGiven(f"not given: {', '.join(self._plan.missing(name)) or name}")
        self._running.append(name)
        try:
            return self._run(provider)
        except FactError as refusal:
            return refusal.plain()
        finally:
            self._running.pop()

    def _run(self, provider: Provider) -> Any:
        arguments = self.arguments(provider.function)
        self._on_fact(provider.fact)
        start = time.perf_counter()
        try:
            with seeded(provider.fact):
                return _checked(provider.fact, provider.function(**arguments))
        except FactError:
            raise
        except (Exception, SystemExit) as error:
            return FactFailed(short_error(error), trace=traceback.format_exc())
        finally:
            self.seconds[provider.fact] = time.perf_counter() - start


def _checked(name: str, value: Any) -> Any:
    if value is None:
        return NotApplicable("there is none")
    plain = isinstance(value, list | tuple | dict | set | frozenset) and name not in MAY_BE_EMPTY
    return Unavailable("it is empty") if (plain or name in COLLECTIONS) and _is_empty(value) else value


def _is_empty(value: Any) -> bool:
    """False where the length is not known: a loader over a stream has `__len__` and raises."""
    try:
        return len(value) == 0
    except (TypeError, NotImplementedError):
        return False

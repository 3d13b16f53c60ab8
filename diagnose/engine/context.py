"""The Context: each fact is computed at most once, when it is needed; an error is remembered."""

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diagnose.common.activity import doing
from diagnose.common.errors import short_error
from diagnose.common.provider import Provider, facts_needed
from diagnose.engine.fact_errors import FactError, FactFailed, NotApplicable, NotGiven, Unavailable
from diagnose.engine.providers import ProviderPlan
from diagnose.engine.seeding import seeded
from diagnose.engine.traits import Trait, Traits, in_words
from diagnose.engine.user_facts import COLLECTIONS, MAY_BE_EMPTY

OnFact = Callable[[str], None]


class Context:
    """Facts by name. None means "there is none"; an empty list, tuple or dict is unavailable, never clean."""

    def __init__(
        self, facts: Mapping[str, Any], providers: Sequence[Provider] = (), on_fact: OnFact = lambda fact: None
    ) -> None:
        self._facts = {name: value for name, value in facts.items() if value is not None}
        self._plan = ProviderPlan(self._facts, providers)
        self._may_be_empty = MAY_BE_EMPTY.union(provider.fact for provider in providers if provider.may_be_empty)
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

    @property
    def user_facts(self) -> frozenset[str]:
        """The names of the facts that a person gave."""
        return frozenset(self._facts)

    @property
    def traits(self) -> Traits:
        """The traits that were measured."""
        return {name: value for name, value in self._settled.items() if isinstance(value, Trait)}

    def why_not(self, name: str) -> str:
        """Why the fact was not measured; "" where it was."""
        value = self._settled.get(name, NotGiven("no check that needs it ran"))
        return str(value) if isinstance(value, FactError) else ""

    def require_traits(self, names: Sequence[str]) -> None:
        """Raises NotApplicable for the first trait that was not shown."""
        for name in names:
            try:
                trait = self.get(name)
            except NotGiven:
                raise
            except FactError as refusal:
                trait = Trait(False, refusal.reason)
            if not trait.holds:
                raise NotApplicable(f"not shown that {in_words(name)}: {trait.evidence}")

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
            return self._checked(name, self._facts[name])
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
        self.require_traits(provider.assumes)
        arguments = self.arguments(provider.function)
        self._on_fact(provider.fact)
        start = time.perf_counter()
        try:
            with seeded(provider.fact), doing(f"measuring {provider.fact}"):
                return self._checked(provider.fact, provider.function(**arguments))
        except (FactError, KeyboardInterrupt):
            raise
        except BaseException as error:
            return FactFailed(short_error(error), trace=traceback.format_exc())
        finally:
            self.seconds[provider.fact] = time.perf_counter() - start

    def _checked(self, name: str, value: Any) -> Any:
        if value is None:
            return NotApplicable("there is none")
        plain = isinstance(value, list | tuple | dict | set | frozenset) and name not in self._may_be_empty
        return Unavailable("it is empty") if (plain or name in COLLECTIONS) and _is_empty(value) else value


def _is_empty(value: Any) -> bool:
    """False where the length is not known: a loader over a stream has `__len__` and raises."""
    try:
        return len(value) == 0
    except (TypeError, NotImplementedError):
        return False

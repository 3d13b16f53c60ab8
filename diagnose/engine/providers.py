"""Who can give which fact. A provider is a function: its name is the fact, its parameters are the facts it needs."""

from collections.abc import Collection, Sequence

from diagnose.common.provider import Provider
from diagnose.engine.user_facts import ROOTS


class ProviderPlan:
    """Which provider gives which fact: the one of lowest priority whose needs can be had from the user's facts."""

    def __init__(self, facts: Collection[str], providers: Sequence[Provider]) -> None:
        self.facts = frozenset(facts)
        self.providers: dict[str, list[Provider]] = {}
        for provider in sorted(providers, key=lambda provider: provider.priority):
            self.providers.setdefault(provider.fact, []).append(provider)
        self._chosen: dict[str, Provider] = {}
        self.within_reach = self._reach()

    @property
    def known(self) -> frozenset[str]:
        """Every fact that a user or a provider can give."""
        return frozenset(ROOTS) | frozenset(self.providers)

    def _reach(self) -> set[str]:
        reach, size = set(self.facts), -1
        while len(reach) > size:
            size = len(reach)
            every = [provider for providers in self.providers.values() for provider in providers]
            reach |= {provider.fact for provider in every if reach.issuperset(provider.needs.required)}
        return reach

    def choose(self, name: str, avoiding: frozenset[str] = frozenset()) -> Provider | None:
        """The provider to use. `avoiding` holds the facts on the way here: two facts may be derived from each other."""
        if name not in self.within_reach or name in avoiding:
            return None
        settled = [self._chosen[name]] if name in self._chosen else []
        for provider in settled + self.providers.get(name, []):
            on_the_way = avoiding | {name}
            if all(need in self.facts or self.choose(need, on_the_way) for need in provider.needs.required):
                self._chosen[name] = provider
                return provider
        return None

    def missing(self, name: str, avoiding: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """The facts a person would have to give to make this one available: the shortest way there."""
        if name in self.within_reach:
            return ()
        if name in ROOTS or name in avoiding or name not in self.providers:
            return (name,)
        ways = [
            tuple(dict.fromkeys(root for need in p.needs.required for root in self.missing(need, avoiding | {name})))
            for p in self.providers[name]
        ]
        shortest = min(ways, key=len)
        if len(shortest) > 1:
            return shortest
        return (" or ".join(dict.fromkeys(way[0] for way in ways if len(way) == 1)),)

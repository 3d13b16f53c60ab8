"""The engine: probes and providers on one side, a person's facts on the other, a Report between them."""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import filter as matching
from typing import Any

from diagnose.common.errors import InputError
from diagnose.common.provider import Provider, facts_needed
from diagnose.engine import discovery
from diagnose.engine.context import Context, FactError
from diagnose.engine.coverage import coverage_of
from diagnose.engine.decorators import Probe
from diagnose.engine.optimizer_list import as_one_optimizer
from diagnose.engine.providers import ProviderPlan
from diagnose.engine.report import Report
from diagnose.engine.runner import ALL, ProgressListener, Selection, run
from diagnose.engine.seeding import import_torch
from diagnose.engine.types import Outcome, Stage
from diagnose.engine.user_facts import nearest

RECORDS = {"records", "reference_records"}  # drawn although a person gave them


@dataclass(frozen=True)
class Engine:
    """What can look, what can give, and what could not be read."""

    probes: tuple[Probe, ...]
    providers: tuple[Provider, ...]
    unreadable: tuple[Outcome, ...] = ()

    def context(self, facts: Mapping[str, Any], watcher: ProgressListener | None = None) -> Context:
        """The facts, checked by name: a misspelt one would silently close the probes that need it."""
        known = ProviderPlan((), self.providers).known
        for name in facts:
            if name not in known:
                raise InputError(f"there is no fact named {name!r}{nearest(name, known)}")
        facts = {name: as_one_optimizer(value) if name == "optimizer" else value for name, value in facts.items()}
        return Context(facts, self.providers, (watcher or ProgressListener()).on_fact)

    def examine(self, context: Context, selection: Selection = ALL, watcher: ProgressListener | None = None) -> Report:
        """Lets the selected probes look at the facts."""
        self._check(selection)
        import_torch()
        start = time.perf_counter()
        probes = self.probes if not selection.full else tuple(self._possible(context))
        outcomes, costs = run(probes, context, selection, watcher)
        created = datetime.now(UTC).isoformat(timespec="seconds")
        elapsed = time.perf_counter() - start
        coverage = coverage_of(self.probes, self.providers, context, sum(outcome.ran for outcome in outcomes))
        summary = self._summary(context, selection)  # first: figures are of what was measured
        return Report(
            self.unreadable + outcomes,
            costs,
            selection,
            created,
            elapsed,
            values_of_facts(context, "figure"),
            dict(context.traits),
            coverage,
            summary,
            tuple(row for rows in values_of_facts(context, "page_rows").values() for row in rows),
        )

    def _summary(self, context: Context, selection: Selection) -> dict[str, Mapping[str, Any]]:
        """What the facts of this run say of it in numbers."""
        if selection.full:
            for provider in self.providers:
                if provider.reported:
                    context.get_or_none(provider.fact)
        return values_of_facts(context, "summary")

    def _possible(self, context: Context) -> Iterator[Probe]:
        """Without those that look at a run that has begun, where there is none."""
        reach = ProviderPlan(context.user_facts, self.providers).within_reach
        for probe in self.probes:
            if probe.stage is not Stage.STEPS or reach.issuperset(facts_needed(probe.check).required):
                yield probe

    def _check(self, selection: Selection) -> None:
        ids = [probe.id for probe in self.probes]
        for pattern in [*selection.ids, *selection.ignored]:
            if not matching(ids, pattern):
                raise InputError(f"there is no probe {pattern!r}{nearest(pattern, ids)}; diagnose list shows them all")
        for id, reason in selection.ignored.items():
            if not reason.strip():
                raise InputError(f"--ignore {id} needs a reason: --ignore {id}=REASON")


def installed() -> Engine:
    """The engine with everything that is registered."""
    probes, providers = discovery.probes(), discovery.providers()
    return Engine(probes.items, providers.items, probes.unreadable + providers.unreadable)


def engine_of(probes: Iterable[Probe], providers: Iterable[Any] = ()) -> Engine:
    """An engine of one's own, from probes and plain functions."""
    return Engine(tuple(probes), tuple(Provider(give) for give in providers))


def values_of_facts(context: Context, method: str) -> dict[str, Any]:
    """What the computed facts say of themselves: `figure()`, `summary()` in numbers, `page_rows()` to look at."""
    found: dict[str, Any] = {}
    for name in [*RECORDS & context.user_facts, *context.seconds]:
        with suppress(FactError):
            value = context.get(name)
            found |= {name: getattr(value, method)()} if callable(getattr(type(value), method, None)) else {}
    return found

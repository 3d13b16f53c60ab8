"""What a preflight covered: the checks that ran, the evidence for a go, and the one fact that would add most."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diagnose.common.provider import Provider, facts_needed
from diagnose.engine.context import Context
from diagnose.engine.decorators import Probe
from diagnose.engine.providers import ProviderPlan
from diagnose.engine.types import Stage
from diagnose.engine.user_facts import ROOTS

# They belong to our own command line, or replace what is given: nobody adds them to a run of their own.
NEVER_ADVISED = frozenset(
    {"config", "config_path", "digest_inputs", "processes", "records", "reference_records", "rank_facts", "trainer"}
)


@dataclass(frozen=True)
class Coverage:
    """`missing_evidence`: what must have run on the user's own objects before a go, and the reason why it did not."""

    ran: int = 0
    possible: int = 0
    missing_evidence: Mapping[str, str] = field(default_factory=dict)
    next_fact: str = ""  # the fact or facts to give next, and how many checks they would add
    next_checks: int = 0

    @property
    def advice(self) -> str:
        """The argument that would help most, as a person types it; "" where none would."""
        return f"pass {self.next_fact}= to check {self.next_checks} more" if self.next_fact else ""


def coverage_of(probes: Sequence[Probe], providers: Sequence[Provider], context: Context, ran: int) -> Coverage:
    """What these probes and providers could have looked at, had every fact been given, beside what they did."""
    probes = [probe for probe in probes if probe.stage is not Stage.STEPS]  # they look at runs that have begun
    missing = _missing_evidence(providers, context) if probes else {}  # a run that has begun needs none
    possible = _within_reach(probes, providers, frozenset(ROOTS) | context.user_facts)
    now = _within_reach(probes, providers, context.user_facts)
    needed = [p.fact for p in providers if missing.keys() & set(p.evidence)]
    gains = {
        facts: _within_reach(probes, providers, context.user_facts | set(facts)) - now
        for facts in _candidates(needed, ProviderPlan(context.user_facts, providers))
    }
    best = max(gains, key=lambda facts: gains[facts], default=())
    return Coverage(ran, possible, missing, *(("=, ".join(best), gains[best]) if best and gains[best] else ("", 0)))


def _missing_evidence(providers: Sequence[Provider], context: Context) -> dict[str, str]:
    """By kind the reason of the first provider that could not give it; none where any provider did."""
    missing: dict[str, str] = {}
    shown = {kind for p in providers for kind in p.evidence if not context.why_not(p.fact)}
    for provider in providers:
        for kind in provider.evidence:
            if kind not in shown:
                missing.setdefault(kind, context.why_not(provider.fact))
    return missing


def _candidates(needed: Sequence[str], plan: ProviderPlan) -> list[tuple[str, ...]]:
    """What lacks for the evidence, where something does; else every single fact that a person could add."""
    if needed:
        return [missing for fact in needed if (missing := plan.missing(fact))]
    return [(root,) for root in ROOTS if root not in plan.facts | NEVER_ADVISED]


def _within_reach(probes: Sequence[Probe], providers: Sequence[Provider], facts: frozenset[str]) -> int:
    reach = ProviderPlan(facts, providers).within_reach
    return sum(reach.issuperset(facts_needed(probe.check).required) for probe in probes)

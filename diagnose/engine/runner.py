"""Lets the probes look, stage by stage. A probe that breaks is a result of its own and hides no other."""

import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from diagnose.common.activity import doing
from diagnose.common.errors import short_error
from diagnose.engine import pass_counter
from diagnose.engine.context import Context, FactError
from diagnose.engine.decorators import Probe
from diagnose.engine.merge import merge
from diagnose.engine.types import Finding, Outcome, Severity, SkipKind, Stage, Status

EXPENSIVE = frozenset({Stage.PRECISION, Stage.LEARNING, Stage.GENERATION, Stage.DISTRIBUTED})


@dataclass(frozen=True)
class Selection:
    """Which probes look. `ids` may hold patterns (LAB*); `ignored` maps an id to the reason given for it."""

    stages: tuple[Stage, ...] = ()
    ids: tuple[str, ...] = ()
    ignored: Mapping[str, str] = field(default_factory=dict)
    run_all: bool = False

    @property
    def full(self) -> bool:
        return not self.stages and not self.ids

    def takes(self, probe: Probe) -> bool:
        in_stage = not self.stages or probe.stage in self.stages
        return in_stage and (not self.ids or any(fnmatchcase(probe.id, pattern) for pattern in self.ids))


ALL = Selection()


@dataclass(frozen=True)
class StageCost:
    """What a stage cost: seconds, and passes through the model."""

    stage: Stage
    seconds: float
    passes: float


class ProgressListener:
    """Called as a preflight goes on. This one does nothing; the live display prints."""

    def on_start(self, reason: str) -> None:
        """A preflight has to be run."""

    def on_probe(self, probe: Probe) -> None:
        """A probe is about to look."""

    def on_fact(self, fact: str) -> None:
        """A fact is about to be computed."""


def run(
    probes: Sequence[Probe], context: Context, selection: Selection = ALL, watcher: ProgressListener | None = None
) -> tuple[tuple[Outcome, ...], tuple[StageCost, ...]]:
    """Outcomes in stage order, and what each stage cost."""
    watcher = watcher or ProgressListener()
    outcomes: list[Outcome] = []
    costs: list[StageCost] = []
    for stage in Stage:
        chosen = [probe for probe in probes if probe.stage is stage and selection.takes(probe)]
        if not chosen:
            continue
        start, passes = time.perf_counter(), pass_counter.passes()
        standing = None if selection.run_all or stage not in EXPENSIVE else _standing_error(outcomes)
        for probe in chosen:
            watcher.on_probe(probe)
            outcomes.append(_outcome(probe, context, selection, standing))
        costs.append(StageCost(stage, time.perf_counter() - start, pass_counter.passes() - passes))
    return tuple(outcomes), tuple(costs)


def _standing_error(outcomes: Sequence[Outcome]) -> str | None:
    return next((outcome.probe for outcome in outcomes if outcome.worst is Severity.ERROR), None)


def _outcome(probe: Probe, context: Context, selection: Selection, standing: str | None) -> Outcome:
    head = (probe.id, probe.name, probe.title, probe.stage, probe.severity)
    blank = Outcome(*head, Status.SKIPPED, explains=probe.explains)
    if probe.id in selection.ignored:
        return replace(blank, reason=f"ignored: {selection.ignored[probe.id]}", skip=SkipKind.IGNORED)
    if standing:
        reason = f"skipped after {standing}; use --all to run anyway"
        return replace(blank, reason=reason, skip=SkipKind.AFTER_ERROR)
    start = time.perf_counter()
    return replace(_look(probe, context, blank), elapsed=time.perf_counter() - start)


def _look(probe: Probe, context: Context, blank: Outcome) -> Outcome:
    findings: list[Finding] = []
    try:
        context.require_traits(probe.assumes)
        facts = context.arguments(probe.check)
        with doing(f"running {probe.id}, {probe.check.__module__}.{probe.name}"):
            findings.extend(_findings(probe, facts, context))  # what was found before a crash stays found
    except FactError as refusal:
        refused = replace(blank, status=refusal.status, skip=refusal.skip, trace=refusal.trace)
        return replace(refused, reason=refusal.reason, chain=refusal.chain)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        crashed = replace(blank, status=Status.CRASHED, reason=short_error(error), trace=traceback.format_exc())
        return replace(crashed, findings=merge(findings))
    return replace(blank, status=Status.FOUND if findings else Status.PASSED, findings=merge(findings))


def _findings(probe: Probe, facts: Mapping[str, object], context: Context) -> Iterator[Finding]:
    for finding in probe.check(**facts):
        if not isinstance(finding, Finding):
            raise TypeError(f"{probe.name} yielded a {type(finding).__name__}, not a Finding")
        severity = finding.severity or probe.severity
        fix = fix_for_run(finding, context)
        yield replace(finding, probe=probe.id, stage=probe.stage, severity=severity, fix=fix)


def fix_for_run(finding: Finding, context: Context) -> str:
    """The fix, with the configuration key that makes it where this run is described by a configuration that has it."""
    key = finding.setting.partition(":")[0]
    values = context.get_or_none("config_values") if key else None
    if not values or key not in values:
        return finding.fix
    _, file, line = values[key]
    return f"{finding.fix}; set {finding.setting}" + (f" ({file}:{line})" if line else "")

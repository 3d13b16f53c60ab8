"""One trial: a fault is put into a fresh subject, its presence is checked, and the gate looks at the result."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from diagnose.common.errors import short_error
from diagnose.drill.expand_facts import Facts, expand_facts, facts_after_fault
from diagnose.drill.results import FaultTrial, HealthyTrial, TrialStatus, empty_trial
from diagnose.engine.context import NotApplicable
from diagnose.engine.decorators import Fault
from diagnose.engine.engine import Engine
from diagnose.engine.report import Report
from diagnose.engine.runner import EXPENSIVE, Selection
from diagnose.engine.types import Finding, Severity, Stage, Status
from diagnose.engine.user_facts import ROOTS

Build = Callable[[int], Mapping[str, Any]]


def healthy_trial(engine: Engine, build: Build, seed: int) -> HealthyTrial:
    """All stages, the expensive ones too; in two processes, where there are cores for them."""
    facts = expand_facts(engine, build(seed))
    if "rank_facts" in facts and len(os.sched_getaffinity(0)) > 1:
        facts = {"processes": 2} | facts
    report = engine.examine(engine.context(facts), Selection(run_all=True))
    alarms = [f"{f.probe} {f.where}: {f.message}" for f in report.findings if f.severity is not Severity.NOTE]
    alarms += [f"{o.probe} {o.status}: {o.reason_chain}" for o in report.outcomes if o.status in ("blocked", "crashed")]
    passes = sum(cost.passes for cost in report.costs)
    return HealthyTrial(seed, tuple(alarms), kinds_of(engine, facts), report.elapsed, passes)


def kinds_of(engine: Engine, facts: Facts) -> tuple[str, ...]:
    return tuple(engine.context(facts).get_or_none("subject_kind") or ())


def trial(engine: Engine, build: Build, fault: Fault, seed: int) -> FaultTrial:
    """Puts it in, in whatever process this is: nothing is taken out again."""
    blank = empty_trial(fault, seed)
    noted = fault.note or any(p.id == fault.probe_id and p.severity is Severity.NOTE for p in engine.probes)
    facts = expand_facts(engine, build(seed))
    try:
        broken = facts_after_fault(facts, _inject(fault, facts))
    except NotApplicable as refusal:
        return replace(blank, reason=refusal.reason)
    except (NotImplementedError, AttributeError, LookupError, StopIteration) as error:
        return replace(blank, reason=_absent(error))
    except Exception as error:
        return replace(blank, ending=TrialStatus.UNPROVEN, reason=short_error(error))
    result = judge_trial(blank, engine.examine(engine.context(broken), stages_for(Stage(blank.stage))), noted)
    if result.ending is TrialStatus.CAUGHT:
        return result
    # The gate would have gone on, too.
    return judge_trial(blank, engine.examine(engine.context(broken), Selection()), noted)


def _absent(error: Exception) -> str:
    """What the fault would change and does not find."""
    name = error.args[0] if isinstance(error, KeyError) and error.args else None
    if name in ROOTS:
        return f"not given: {name}"
    if isinstance(error, KeyError):
        return f"what it changes does not exist: the subject has no {name!r}"
    if isinstance(error, StopIteration):
        return "what it changes does not exist: no part of the subject fits"
    return f"what it changes does not exist: {short_error(error)}"


def _inject(fault: Fault, facts: Facts) -> Facts:
    if _is_present(fault, facts):
        raise NotApplicable("the subject already has it")
    broken = fault.inject(dict(facts))
    if not fault.is_present(broken):
        raise ValueError("it was injected, but its check finds nothing broken")
    return broken


def _is_present(fault: Fault, facts: Facts) -> bool:
    """A proof may ask for what only the fault brings along."""
    try:
        return fault.is_present(dict(facts))
    except (KeyError, AttributeError, TypeError, IndexError):
        return False


def stages_for(stage: Stage) -> Selection:
    """The cheap stages, and of the expensive ones that in which the fault is expected."""
    return Selection(stages=tuple(one for one in Stage if one not in EXPENSIVE or one is stage))


def judge_trial(blank: FaultTrial, report: Report, noted: bool) -> FaultTrial:
    """Caught: an alarm stands, or the note that is expected. Named: the expected probe is a root."""
    roots = [root for root in report.diagnosis if root.severity is not Severity.NOTE or root.probe == blank.expected]
    alarms = [finding for finding in report.findings if finding.severity is not Severity.NOTE]
    stands = bool(alarms) or bool(report.having(Status.BLOCKED, Status.CRASHED))
    caught = any(finding.probe == blank.expected for finding in report.findings) if noted else stands
    named = any(root.probe == blank.expected for root in roots)
    first = next((root.finding for root in roots if root.probe == blank.expected or not named), None)
    seconds, passes = _cost_until(report, first)
    return replace(
        blank,
        ending=TrialStatus.CAUGHT if caught else TrialStatus.MISSED,
        named=named,
        roots=tuple(dict.fromkeys(root.probe for root in roots)),
        words=f"{first.where}: {first.message}" if first else "",
        stage=str(first.stage) if first else blank.stage,
        seconds=seconds,
        passes=passes,
    )


def _cost_until(report: Report, finding: Finding | None) -> tuple[float, float]:
    """Seconds and passes up to the end of the stage that found it."""
    order = list(Stage)
    last = order.index(finding.stage) if finding and finding.stage else len(order)
    costs = [cost for cost in report.costs if order.index(cost.stage) <= last]
    return sum(cost.seconds for cost in costs), sum(cost.passes for cost in costs)

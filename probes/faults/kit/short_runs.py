"""Runs with a fault in them: a short, real training of the subject, of which only the records are left."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from diagnose.engine.decorators import Fault
from probes.faults.kit.changes import Facts

Change = Callable[[Facts], dict[str, Any]]
TURN = 7  # the step at which something happens


def run(
    breaks: str, named_by: str, proof: Callable[[Any], bool], applies_to: tuple[str, ...] = ("*",)
) -> Callable[[Change], Fault]:
    """A fault whose change says how the loop differs from a right one; its proof looks at the records."""

    def mark(change: Change) -> Fault:
        def put(facts: Facts) -> Facts:
            from probes.subjects.short_run import LoopVariant, short_run

            records = short_run(facts, replace(LoopVariant(), **change(facts)))
            if not proof(records):
                raise NotApplicable("the run bears it")
            return {"records": records}

        put.__module__, put.__name__ = change.__module__, change.__name__
        told = fault(breaks, named_by, lambda facts: "records" in facts and proof(facts["records"]), applies_to)
        return told(put)

    return mark


def last(records: Any, name: str) -> float:
    return records.series(name).values[-1]


def first(records: Any, name: str) -> float:
    return records.series(name).values[0]

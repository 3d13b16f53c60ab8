"""Values that are born not finite inside a healthy model."""

from collections.abc import Callable
from typing import Any

from diagnose import Fault, fault
from probes.faults.kit.changes import Facts, loss_of
from probes.faults.kit.gradient_changes import hooked

Change = Callable[[Any], Any]


def nonfinite_fault(description: str, probe_id: str) -> Callable[[Change], Fault]:
    """A fault whose change is made to what a layer gives on; its proof is a loss that is not finite."""

    def mark(change: Change) -> Fault:
        def put(facts: Facts) -> Facts:
            return hooked(facts, change)

        put.__module__, put.__name__ = change.__module__, change.__name__
        return fault(description, probe_id, loss_is_nonfinite)(put)

    return mark


def loss_is_nonfinite(facts: Facts) -> bool:
    from math import isfinite

    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]):
        facts["model"].train()
        return not isfinite(float(loss_of(facts).detach()))

"""Faults that put a value which is not finite into a healthy model."""

from collections.abc import Callable
from math import isfinite

from diagnose import Fault
from probes.faults.kit.change_faults import Change, change_fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import change_front_output
from probes.faults.kit.loss_changes import loss_in_mode


def nonfinite_fault(description: str, probe_id: str) -> Callable[[Change], Fault]:
    """A fault whose function changes the output of a layer; its proof is a loss that is not finite."""
    return change_fault(change_front_output, description, probe_id, loss_is_nonfinite)


def loss_is_nonfinite(facts: Facts) -> bool:
    return not isfinite(loss_in_mode(facts, training=True))

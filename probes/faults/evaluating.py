"""Faults of evaluating: the mode, the rows, the metric function."""

from probes.faults.changes import Facts


def named(facts: Facts, fact: str) -> str:
    return getattr(facts.get(fact), "__name__", "")

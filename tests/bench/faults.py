"""Every fault in every subject it applies to: is the expected probe the one root?"""

from __future__ import annotations

import traceback
from functools import partial

import diagnose
from diagnose import Fault, Severity
from diagnose.engine import discovery
from probes.healthy import NAMES, healthy
from tests.bench.report import Measured


def measure(name: str) -> Measured:
    """How many were put in, caught (the gate does not open, or a warning stands) and named (the one root)."""
    severities = {probe.id: probe.severity for probe in discovery.probes().items}
    tried = caught = named = 0
    missed: list[str] = []
    for fault in discovery.faults().items:
        if {"*", name} & set(fault.applies_to):
            tried += 1
            roots, found = put(fault, name, severities)
            caught += fault.probe_id in found
            named += roots == [fault.probe_id]
            missed += [] if roots == [fault.probe_id] else [f"{fault.id} ({fault.probe_id}): {', '.join(roots) or '-'}"]
    figures = {"tried": tried, "caught": caught, "named": named, "missed": "; ".join(missed) or "none"}
    return Measured(figures, "each once, put into a fresh subject and looked at by a full preflight")


def put(fault: Fault, name: str, severities: dict[str, Severity]) -> tuple[list[str], set[str]]:
    """The roots, and all probes that found something. A note is a root only where a note is expected."""
    try:
        report = diagnose.preflight(**fault.inject(healthy(name)))
    except Exception:
        return [traceback.format_exc(limit=-1).splitlines()[-1]], set()
    noted = fault.note or severities[fault.probe_id] is Severity.NOTE
    roots = [root.probe for root in report.diagnosis if root.severity is not Severity.NOTE]
    notes = [
        root.probe for root in report.diagnosis if noted and root.probe == fault.probe_id and root.probe not in roots
    ]
    return notes + roots, {finding.probe for finding in report.findings}


MEASUREMENTS = {name: partial(measure, name) for name in NAMES}

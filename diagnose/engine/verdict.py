"""The verdict, from what the outcomes say; of a report that was read as of one that was just made."""

from collections.abc import Collection, Mapping
from typing import Any

from diagnose.engine.types import Severity, Status, Verdict

RAN = (Status.PASSED, Status.FOUND)


def verdict_of(severities: Collection[str], statuses: Collection[str], missing_evidence: Mapping[str, str]) -> Verdict:
    """no-go after an error; inconclusive where a check broke or could not run, or evidence is missing."""
    if Severity.ERROR in severities:
        return Verdict.NO_GO
    looked = any(status in RAN for status in statuses)
    if not looked or Status.BLOCKED in statuses or Status.CRASHED in statuses or missing_evidence:
        return Verdict.INCONCLUSIVE
    return Verdict.GO


def verdict_of_json(report: Mapping[str, Any]) -> Verdict:
    """Of a report as JSON, from its outcomes alone; raises KeyError or TypeError on anything else."""
    outcomes = report["outcomes"]
    severities = {str(finding["severity"]) for outcome in outcomes for finding in outcome["findings"]}
    statuses = {str(outcome["status"]) for outcome in outcomes}
    return verdict_of(
        severities, statuses, report["coverage"]["missing_evidence"] if report["selection"]["full"] else {}
    )

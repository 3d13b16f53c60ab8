"""The report as SARIF 2.1.0: findings stand at the configuration, manifest or source line where they belong."""

import json
from pathlib import Path
from typing import Any

from diagnose.engine.report import Report
from diagnose.engine.report_json import finding_as_dict
from diagnose.engine.types import Finding, Outcome, Status
from diagnose.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(report: Report) -> str:
    rules = {outcome.probe: index for index, outcome in enumerate(report.outcomes)}
    driver = {"name": "gonogo", "version": __version__, "rules": [_rule(outcome) for outcome in report.outcomes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [_result(one, rules[one.probe]) for finding in report.findings for one in finding.singles],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(outcome: Outcome) -> dict[str, Any]:
    return {
        "id": outcome.probe,
        "name": outcome.name,
        "shortDescription": {"text": outcome.title},
        "help": {"text": f"diagnose explain {outcome.probe}"},
        "defaultConfiguration": {"level": str(outcome.severity)},
    }


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    return {
        "ruleId": finding.probe,
        "ruleIndex": rule,
        "level": str(finding.severity),
        "message": {"text": f"{finding.where}: {finding.message}\nfix: {finding.fix}"},
        "locations": [_location(finding)],
        "partialFingerprints": {"probeAndPlace/v1": f"{finding.probe} {finding.where}"},
        "properties": {"measured": finding_as_dict(finding)["measured"]},
    }


def _location(finding: Finding) -> dict[str, Any]:
    logical = {"logicalLocations": [{"fullyQualifiedName": finding.where}]}
    if not finding.file:
        return logical
    region = {"region": {"startLine": finding.line}} if finding.line else {}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(Path(finding.file))}, **region}, **logical}


def _uri(path: Path) -> str:
    """Relative to the working directory wherever possible: CI systems join it to the checkout."""
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    if path.is_absolute():
        return path.as_uri()
    return (Path("/") / path).as_uri().removeprefix("file:///")


def _invocation(report: Report) -> dict[str, Any]:
    """What could not look is listed too: an empty list of results must not read as clean."""
    stuck = report.having(Status.BLOCKED, Status.CRASHED)
    texts = [(outcome.probe, {"text": f"{outcome.status}: {outcome.reason_chain}"}) for outcome in stuck]
    notifications = [{"descriptor": {"id": probe}, "level": "error", "message": text} for probe, text in texts]
    code = report.exit_code
    return {"executionSuccessful": not stuck, "exitCode": code, "toolExecutionNotifications": notifications}

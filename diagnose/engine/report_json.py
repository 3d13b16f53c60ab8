"""The report as JSON, as render/report.schema.json describes it."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from diagnose.engine.types import Finding, Outcome
from diagnose.version import __version__

if TYPE_CHECKING:
    from diagnose.engine.report import Report

SCHEMA = "gonogo/report/1"


def to_json(report: "Report") -> str:
    return json.dumps(as_dict(report), indent=1, default=str) + "\n"


def as_dict(report: "Report") -> dict[str, Any]:
    selection = report.selection
    return {
        "schema": SCHEMA,
        "version": __version__,
        "created": report.created,
        "elapsed": round(report.elapsed, 3),
        "verdict": report.verdict,
        "exit_code": report.exit_code,
        "selection": {
            "full": selection.full,
            "stages": selection.stages,
            "ids": selection.ids,
            "ignored": dict(selection.ignored),
            "everything": selection.run_all,
        },
        "diagnosis": [
            {"probe": root.probe, "severity": root.severity, "explains": [o.probe for o in root.consequences]}
            for root in report.diagnosis
        ],
        "costs": [
            {"stage": c.stage, "seconds": round(c.seconds, 3), "passes": round(c.passes, 2)} for c in report.costs
        ],
        "outcomes": [_outcome(outcome) for outcome in report.outcomes],
        "figures": without_nan(report.figures),
        "traits": {name: asdict(trait) for name, trait in report.traits.items()},
        "coverage": asdict(report.coverage),
        "summary": without_nan(report.summary),
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    findings = [finding_as_dict(finding) for finding in outcome.findings]
    return {**vars(outcome), "elapsed": round(outcome.elapsed, 3), "findings": findings}


def finding_as_dict(finding: Finding) -> dict[str, Any]:
    """A merged finding lists its instances."""
    content = {**asdict(replace(finding, instances=())), "measured": without_nan(finding.measured)}
    content.pop("setting")  # it is part of the fix
    content["instances"] = [finding_as_dict(one) for one in finding.instances]
    return content | {"count": len(finding.singles)}


def without_nan(value: Any) -> Any:
    """JSON has no NaN and no infinity: they are written as the words."""
    if isinstance(value, Mapping):
        return {name: without_nan(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(inner) for inner in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value

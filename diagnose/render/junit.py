"""The report as JUnit XML: a suite for each stage, a case for each probe."""

import re
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from diagnose.engine.report import Report
from diagnose.engine.root_causes import SHOWN, by_severity
from diagnose.engine.types import Outcome, Severity, Status

# What XML 1.0 cannot hold, not even escaped.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: Report) -> str:
    suites = Element("testsuites", name="gonogo preflight", time=f"{report.elapsed:.3f}")
    for stage, outcomes in groupby(report.outcomes, key=lambda outcome: outcome.stage):
        suite = SubElement(suites, "testsuite", name=str(stage))
        for outcome in outcomes:
            _case(suite, outcome)
        suite.set("tests", str(len(suite)))
        for kind in ("failure", "error", "skipped"):
            name = {"failure": "failures", "error": "errors"}.get(kind, kind)
            suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _case(suite: Element, outcome: Outcome) -> None:
    name = f"{outcome.probe} {outcome.name}" if outcome.probe != outcome.name else outcome.name
    case = SubElement(suite, "testcase", classname=clean(str(outcome.stage)), name=clean(name))
    case.set("time", f"{outcome.elapsed:.3f}")
    if outcome.worst is Severity.ERROR:
        SubElement(case, "failure", message=clean(outcome.title), type="error").text = _findings_text(outcome)
    elif outcome.findings:
        SubElement(case, "system-out").text = _findings_text(outcome)
    if outcome.status in (Status.BLOCKED, Status.CRASHED):
        error = SubElement(case, "error", message=clean(outcome.reason_chain), type=str(outcome.status))
        error.text = clean(outcome.trace)
    if outcome.status is Status.SKIPPED:
        SubElement(case, "skipped", message=clean(outcome.reason_chain))


def _findings_text(outcome: Outcome) -> str:
    singles = [one for finding in by_severity(outcome.findings) for one in finding.singles]
    shown = singles[:SHOWN]
    lines = [f"{finding.severity}: {finding.where}: {finding.message}\n  fix: {finding.fix}" for finding in shown]
    left = len(singles) - len(shown)
    return clean("\n".join([*lines, f"and {left} more"] if left else lines))


def clean(text: str) -> str:
    return FORBIDDEN.sub("", text)

"""What a report looks like to programs: JSON by its schema, SARIF, JUnit."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as some

from diagnose import Finding, Severity
from diagnose.engine.report_json import as_dict
from diagnose.engine.runner import Selection
from diagnose.render import junit
from diagnose.render.junit import to_junit
from diagnose.render.sarif import to_sarif
from tests.support.fake_probes import examine, finds, passes, probe_of

SCHEMA_FILE = Path(junit.__file__).with_name("report.schema.json")


def broken(model):
    raise ValueError("torn \x07 row")


@pytest.fixture
def report():
    """One of every outcome."""
    probes = [
        passes("ENV001"),
        finds("CFG001", severity=Severity.NOTE),
        finds("DAT001", severity=Severity.WARNING),
        finds("LAB001", explains=("LOS*",), wheres=[f"row {n}" for n in range(8)]),
        probe_of("TOK001", lambda broken: ()),
        probe_of("PAR001", lambda model: [1]),
        probe_of("PLC001", lambda tokenizer: ()),
        finds("LOS001"),
        passes("GRD001"),
        passes("LRN001"),
    ]
    return examine(probes, [broken], Selection(ignored={"GRD001": "known"}))


def test_json_follows_its_schema_and_the_schema_is_itself_valid(report):
    schema = json.loads(SCHEMA_FILE.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    told = json.loads(report.to_json())
    jsonschema.validate(told, schema)
    assert told["verdict"] == "no-go" and told["exit_code"] == 1
    assert told["diagnosis"][0] == {"probe": "LAB001", "severity": "error", "explains": ["LOS001"]}
    assert told["selection"]["ignored"] == {"GRD001": "known"}
    blocked = next(o for o in told["outcomes"] if o["status"] == "blocked")
    assert blocked["chain"] == ["broken"] and "ValueError" in blocked["trace"]


def test_the_schema_refuses_what_is_not_a_report(report):
    schema = json.loads(SCHEMA_FILE.read_text())
    told = json.loads(report.to_json())
    for spoil in ({"verdict": "maybe"}, {"schema": "gonogo/report/2"}, {"outcomes": [{}]}, {"exit_code": 3}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(told | spoil, schema)


def test_json_has_no_nan_and_no_infinity():
    measured = {"loss": float("nan"), "norm": float("inf"), "rows": 3, "name": "x", "none": None}
    report = examine([probe_of("LOS001", lambda model: [Finding("batch 0", "m", "f", measured)])])
    told = json.loads(report.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert told["outcomes"][0]["findings"][0]["measured"] == {
        "loss": "nan", "norm": "inf", "rows": 3, "name": "x", "none": None,
    }  # fmt: skip


def test_sarif_puts_findings_at_their_line(report):
    run = json.loads(to_sarif(report))["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]][:2] == ["ENV001", "CFG001"]
    results = run["results"]
    assert {result["level"] for result in results} == {"error", "warning", "note"}
    for result in results:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    physical = results[0]["locations"][0]["physicalLocation"]
    assert physical == {"artifactLocation": {"uri": "c.yaml"}, "region": {"startLine": 7}}
    assert run["invocations"][0]["executionSuccessful"] is False
    notified = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert notified[0].startswith("blocked: broken: ValueError") and notified[1].startswith("crashed: TypeError")


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("configs/my run.yaml", "configs/my%20run.yaml"),
        ("/elsewhere/dữ liệu.csv", "file:///elsewhere/d%E1%BB%AF%20li%E1%BB%87u.csv"),
    ],
)
def test_sarif_addresses_are_uris(file, uri):
    report = examine([probe_of("CFG001", lambda model: [Finding("key", "m", "f", file=file)])])
    location = json.loads(to_sarif(report))["runs"][0]["results"][0]["locations"][0]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": uri}}


def test_sarif_paths_below_the_working_directory_are_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = str(tmp_path / "a" / "train.csv")
    report = examine([probe_of("DAT001", lambda model: [Finding("row 1", "m", "f", file=file, line=2)])])
    location = json.loads(to_sarif(report))["runs"][0]["results"][0]["locations"][0]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "a/train.csv"


def test_junit_counts_what_ci_systems_count(report):
    suites = ElementTree.fromstring(to_junit(report))
    counts = {
        kind: sum(int(suite.get(kind)) for suite in suites) for kind in ("tests", "failures", "errors", "skipped")
    }
    assert counts == {"tests": 10, "failures": 2, "errors": 2, "skipped": 3}
    failure = suites.find(".//testcase[@name='LAB001 probe_lab001']/failure")
    assert "row 0: measured 3 at row 0, expected 0" in failure.text and "and 3 more" in failure.text
    assert suites.find(".//testcase[@name='DAT001 probe_dat001']/system-out") is not None
    assert "torn  row" in suites.find(".//testcase[@name='TOK001 probe_tok001']/error").get("message")


@given(some.text(), some.text())
def test_junit_is_xml_whatever_the_data_holds(where, message):
    finding = Finding(where, message, "fix it")
    report = examine([probe_of("LOS001", lambda model: [finding])])
    ElementTree.fromstring(to_junit(report).encode())


def test_a_report_without_a_probe_is_still_a_report():
    report = examine([])
    jsonschema.validate(json.loads(json.dumps(as_dict(report))), json.loads(SCHEMA_FILE.read_text()))
    ElementTree.fromstring(to_junit(report))
    assert json.loads(to_sarif(report))["runs"][0]["results"] == []

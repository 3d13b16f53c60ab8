"""Many rows with one fault are one finding; every row is kept for the files."""

import json

import jsonschema

from diagnose import Finding, Severity
from diagnose.engine.merge import merge
from diagnose.gate.digests import Digests
from diagnose.gate.item_digests import ItemDigests
from diagnose.gate.output_folder import PreflightFolder
from diagnose.gate.receipt import Receipt
from diagnose.render.html import to_html
from diagnose.render.sarif import to_sarif
from tests.diagnose.render.test_formats import SCHEMA_FILE
from tests.support.fake_probes import examine, finds, probe_of


def rows(count, fix="fill in the text", severity=Severity.ERROR, message="the text is empty"):
    return [Finding(f"row {number}", message, fix, {"row": number}, severity) for number in range(count)]


def test_six_findings_with_one_fix_are_one_and_five_stay_apart():
    assert merge(rows(5)) == tuple(rows(5))
    (one,) = merge(rows(6))
    assert one.where == "6 places: row 0, row 1, row 2, row 3, row 4, and 1 more" and one.place == "row 0 and 5 more"
    assert one.message == "the text is empty" and one.fix == "fill in the text"
    assert one.instances == one.singles == tuple(rows(6))


def test_different_fixes_and_severities_stay_apart():
    found = [*rows(6), *rows(7, "delete it"), *rows(8, severity=Severity.NOTE), *rows(2, "look")]
    assert [len(one.singles) for one in merge(found)] == [6, 7, 8, 1, 1]
    own = [Finding(f"row {n}", "empty", f"fill in row {n}") for n in range(9)]
    assert merge(own) == tuple(own)


def test_a_message_of_its_own_is_told_with_its_place():
    found = [Finding(f"row {n}", f"{n} of 9 samples are clipped", "lower the gain") for n in range(6)]
    assert merge(found)[0].message == "at row 0: 0 of 9 samples are clipped"


def test_the_api_has_one_finding_and_json_sarif_and_the_file_have_every_row(tmp_path):
    report = examine([finds("DAT001", wheres=[f"row {n}" for n in range(256)])])
    (finding,) = report.findings
    assert finding.probe == "DAT001" and len(finding.instances) == 256 and finding.instances[255].probe == "DAT001"
    told = json.loads(report.to_json())
    jsonschema.validate(told, json.loads(SCHEMA_FILE.read_text()))
    (written,) = told["outcomes"][0]["findings"]
    assert written["count"] == 256 == len(written["instances"]) and written["instances"][9]["where"] == "row 9"
    assert len(json.loads(to_sarif(report))["runs"][0]["results"]) == 256
    assert len(str(report)) < 1000 > len(repr(report)) and to_html(report).count("row 4") == 1


def test_the_findings_file_lists_rows_and_the_next_preflight_compares_them(tmp_path, monkeypatch):
    folder = PreflightFolder(tmp_path)
    before, after = (examine([finds("DAT001", wheres=[f"row {n}" for n in range(8 - k)])]) for k in (0, 1))
    nothing = Digests(
        config={}, manifests={}, audio=ItemDigests.of([]), weights={}, code={}, versions={"torch": "2"}, device="cpu"
    )
    folder.write(before, Receipt.of(before, nothing))
    assert len(folder.findings("DAT001").read_text().splitlines()) == 8
    since = folder.since(after)
    assert (since.resolved, since.new) == ((("DAT001", "row 7"),), ())


def test_a_crash_keeps_what_was_merged():
    def look(model):
        yield from rows(7)
        raise RuntimeError("torn")

    (outcome,) = examine([probe_of("DAT001", look)]).outcomes
    assert outcome.status == "crashed" and len(outcome.findings) == 1

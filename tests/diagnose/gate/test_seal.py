"""An edited receipt never opens the gate: by hand, with its digest made again, or without the key that signed it."""

import hashlib
import json

import pytest

from diagnose.common.errors import InputError
from diagnose.gate.digests import canonical
from diagnose.gate.output_folder import read_receipt
from diagnose.gate.seal import KEY, KEY_FILE, require_signing_key, signing_key
from tests.diagnose.gate.test_gate import Run

SECRET = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


@pytest.fixture
def no_go(run):
    """A run that may not start, and the files of its preflight."""
    run.config["training"]["loss"] = 0
    assert run.ask().exit_code == 1
    return run, run.out / "preflight" / "receipt.json", run.out / "preflight" / "report.json"


def resealed(content: dict) -> str:
    """As a person who has read the source would do it."""
    plain = {name: value for name, value in content.items() if name not in ("digest", "hmac")}
    return json.dumps({**plain, "digest": hashlib.sha256(canonical(plain).encode()).hexdigest(), "hmac": ""})


def edited(path) -> dict:
    content = json.loads(path.read_text())
    return content | {"verdict": "go", "probes": content["probes"] | {"LOS001": "passed"}}


def test_two_words_that_are_edited_open_no_gate(no_go):
    run, receipt, _ = no_go
    receipt.write_text(receipt.read_text().replace('"no-go"', '"go"').replace('"found"', '"passed"'))
    again = run.ask()
    assert again.exit_code == 1 and run.looks == 2
    with pytest.raises(InputError, match="its digest does not match its content"):
        receipt.write_text(receipt.read_text().replace('"full": true', '"full": false'))
        read_receipt(run.out)


def test_the_verdict_must_follow_from_the_outcomes_of_the_report(no_go):
    run, receipt, _ = no_go
    receipt.write_text(resealed(edited(receipt)))
    assert "the outcomes in report.json do not give its verdict" in str(gate_reason(run))
    assert run.ask().exit_code == 1 and run.looks == 2


def test_a_report_that_was_edited_or_removed_opens_no_gate(run):
    run.ask()
    report = run.out / "preflight" / "report.json"
    report.write_text(report.read_text().replace("passed", "found"))
    assert "report.json has changed since" in run.ask().reason and run.looks == 2
    report.unlink()
    assert "report.json cannot be read" in run.ask().reason and run.looks == 3
    assert run.ask().preflight is None


def test_an_older_receipt_is_stale_once(run):
    run.ask()
    receipt = run.out / "preflight" / "receipt.json"
    receipt.write_text(receipt.read_text().replace("gonogo/receipt/2", "gonogo/receipt/1"))
    assert "not of schema gonogo/receipt/2" in run.ask().reason and run.looks == 2
    assert run.ask().preflight is None


def test_with_a_key_only_what_it_signed_counts(no_go, monkeypatch):
    """Without one, a person who makes every digest again opens the gate: docs/security.md says so."""
    run, receipt, report = no_go
    content, passed = edited(receipt), json.loads(report.read_text())
    for outcome in passed["outcomes"]:
        outcome["status"], outcome["findings"] = "passed", []
    report.write_text(json.dumps(passed))
    content["report"] = hashlib.sha256(report.read_bytes()).hexdigest()
    content["probes"] = dict.fromkeys(content["probes"], "passed")
    receipt.write_text(resealed(content))
    assert not isinstance(gate_reason(run), str)
    monkeypatch.setenv(KEY, SECRET)
    assert "is not signed with the key of GONOGO_SIGNING_KEY" in gate_reason(run)
    assert run.ask().exit_code == 1


def test_a_signed_receipt_opens_and_another_key_does_not(run, monkeypatch, tmp_path):
    monkeypatch.setenv(KEY, SECRET)
    require_signing_key()
    run.ask()
    assert read_receipt(run.out).signed and run.ask().preflight is None
    monkeypatch.delenv(KEY)
    assert not read_receipt(run.out).signed and run.ask().preflight is None
    with pytest.raises(InputError, match="--require-signed needs a key"):
        require_signing_key()
    (tmp_path / "key").write_text(SECRET[::-1] + "\n")
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "key"))
    assert "its HMAC does not match" in run.ask().reason and run.looks == 2


def test_a_key_that_can_be_guessed_or_is_not_there_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "none"))
    with pytest.raises(InputError, match=f"{KEY_FILE} names .*none, which cannot be read"):
        signing_key()
    monkeypatch.setenv(KEY, "short")
    with pytest.raises(InputError, match=f"{KEY}: the key has 5 bytes, expected at least 16"):
        signing_key()


def gate_reason(run):
    from diagnose.gate import gate

    return gate.valid_receipt(run.engine.context(run.facts))

"""`diagnose data`, as a person types it, on a corpus of files."""

import json

import pytest
from click.testing import CliRunner

from diagnose.cli import main

SUBJECT = """
from pathlib import Path
from diagnose.gate.digests import DigestInputs
from probes.subjects.corpus_files import write_corpus

def sound():
    return {**write_corpus(ROWS), "digest_inputs": DigestInputs(Path("out"), {})}

def broken():
    facts = sound()
    for row in facts["train_rows"][: len(facts["train_rows"]) // 2]:
        row["transcript"] = "[cười] " + row["transcript"]
    return facts
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "their_corpus.py").write_text(SUBJECT.replace("ROWS", "300"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "their_corpus", raising=False)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.slow
def test_all_rows_are_looked_at_and_nothing_is_found(here):
    ran = run("data", "--subject", "their_corpus:sound")
    assert ran.exit_code == 0 and "ALL CHECKS PASSED: 27 checks run" in ran.output
    sampled = run("preflight", "--stage", "data", "--subject", "their_corpus:sound", "-v")
    assert sampled.exit_code == 0 and "256 of 300 rows were decoded" in sampled.output


def test_many_rows_with_one_fault_are_one_finding_with_five_names_and_a_file(here):
    ran = run("data", "--subject", "their_corpus:broken", "--json", "report.json")
    assert ran.exit_code == 0  # a warning closes nothing
    assert "150 places: train.csv:2, train.csv:3, train.csv:4, train.csv:5, train.csv:6, and 145 more" in ran.output
    assert "1 warning, " in ran.output and ran.output.count("contains [cười]") == 1
    listed = (here / "out/preflight/findings/DAT023.jsonl").read_text().splitlines()
    assert len(listed) == 150 and json.loads(listed[-1])["where"] == "train.csv:151"
    assert json.loads((here / "report.json").read_text())["verdict"] == "go"


def test_one_of_config_and_subject_is_asked_for(here):
    ran = run("data")
    assert ran.exit_code == 2 and "--config FILE or --subject" in ran.output

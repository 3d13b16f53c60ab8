"""Every fault of the data, put into a corpus or a subject: its probe names it as the one root, and nobody else."""

import pytest

import diagnose
from diagnose import Severity
from diagnose.engine import discovery
from probes.healthy import healthy

PROBES = {probe.id: probe for probe in discovery.probes().items if probe.id.startswith("DAT")}
FAULTS = [fault for fault in discovery.faults().items if fault.probe_id in PROBES]


def named(fault, name):
    broken = fault.inject(healthy(name))
    assert fault.is_present(broken) and not fault.is_present(healthy(name))
    report = diagnose.preflight(stages=["data"], **broken)
    alarms = [root.probe for root in report.diagnosis if root.severity is not Severity.NOTE]
    noted = [fault.probe_id] if fault.note or PROBES[fault.probe_id].severity is Severity.NOTE else []
    assert noted + alarms == [fault.probe_id] and fault.probe_id in {root.probe for root in report.diagnosis}
    assert report.verdict == ("no-go" if PROBES[fault.probe_id].severity is Severity.ERROR else "go")


def subject(fault):
    return "hybrid" if {"*", "hybrid"} & set(fault.applies_to) else fault.applies_to[0]


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_fault_of_the_data_is_named_as_the_one_root(fault):
    named(fault, subject(fault))


@pytest.mark.parametrize(
    "id", ["file_truncated", "texts_sorted", "clip_leaked", "generator_copied", "classes_from_one"]
)
def test_some_of_them(id):
    fault = next(fault for fault in FAULTS if fault.id == id)
    named(fault, subject(fault))


def test_every_probe_of_the_data_has_a_fault():
    assert {fault.probe_id for fault in FAULTS} == set(PROBES)


def test_a_row_with_several_faults_gets_all_of_them():
    from probes.faults.kit.corpus_changes import with_corpus

    facts = with_corpus({})
    row = facts["train_rows"][5]
    path = facts["audio_root"] / row["audio_path"]
    path.write_bytes(path.read_bytes()[:-2000])
    row |= {"transcript": "[cười] cÃ´ giáo\u200b", "sample_rate": "44100"}
    found = {finding.probe for finding in diagnose.preflight(stages=["data"], **facts).findings if finding.line == 7}
    assert {"DAT006", "DAT014", "DAT023", "DAT024", "DAT026"} <= found


@pytest.mark.slow
def test_the_corpus_itself_is_healthy_over_ten_seeds():
    from probes.subjects.corpus_files import write_corpus

    for seed in range(10):
        report = diagnose.preflight(stages=["data"], **write_corpus(60, eval_count=24, seed=seed))
        assert report.verdict == "go" and not report.findings, [(f.probe, f.message) for f in report.findings]

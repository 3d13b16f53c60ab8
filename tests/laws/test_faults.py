"""Faults put into healthy subjects: the right probe names each as the one root, and is silent when it is out again."""

import pkgutil
from importlib import import_module

import pytest

import diagnose
from diagnose import Severity
from diagnose.drill.trial import stages_for
from diagnose.engine import discovery
from diagnose.engine.engine import installed
from probes.healthy import NAMES, healthy

FOUND = discovery.faults()
PAIRS = [(fault, name) for fault in FOUND.items for name in NAMES if {"*", name} & set(fault.applies_to)]
# Put in elsewhere, with their own stage alone: those of the data (tests/probes/data), which need no model, and those of
# several processes (tests/probes/distributed).
OURS = [fault for fault in FOUND.items if not fault.probe_id.startswith(("DAT", "DST"))]


def turn(number, fault):
    """One architecture for each fault, all of them in turn; `make bench WHAT=faults` goes through every pair."""
    names = [name for other, name in PAIRS if other is fault]
    return names[number % len(names)]


FIRST = [(fault, turn(number, fault)) for number, fault in enumerate(OURS)]
ENGINE = installed()
SEVERITIES = {probe.id: probe.severity for probe in ENGINE.probes}
STAGES = {probe.id: probe.stage for probe in ENGINE.probes}


TOUCHED = set()


@pytest.fixture(scope="module", autouse=True)
def taken_out_again():
    """A fault that stays behind in what subjects share would show in the next healthy one."""
    yield
    for name in TOUCHED:
        after = diagnose.preflight(**healthy(name))
        assert after.verdict == "go" and not after.findings


def check(fault, name):
    """Looked at by the cheap stages and by its own; `make bench WHAT=faults` lets all of them look."""
    assert not fault.is_present(healthy(name))
    broken = fault.inject(healthy(name))
    assert fault.is_present(broken)
    TOUCHED.add(name)
    report = ENGINE.examine(ENGINE.context(broken), stages_for(STAGES[fault.probe_id]))
    alarms = [root.probe for root in report.diagnosis if root.severity is not Severity.NOTE]
    noted = [fault.probe_id] if fault.note or SEVERITIES[fault.probe_id] is Severity.NOTE else []
    assert noted + alarms == [fault.probe_id], [(f.probe, f.where, f.message) for f in report.findings]
    assert set(noted) <= {root.probe for root in report.diagnosis}
    if SEVERITIES[fault.probe_id] is Severity.ERROR and not fault.note:
        assert report.verdict == "no-go" and report.exit_code == 1


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "name"), FIRST, ids=lambda value: getattr(value, "id", value))
def test_a_fault_is_named_as_the_one_root(fault, name):
    check(fault, name)


@pytest.mark.bench
@pytest.mark.parametrize(
    ("fault", "name"), [pair for pair in PAIRS if pair not in FIRST], ids=lambda value: getattr(value, "id", value)
)
def test_a_fault_is_named_in_every_architecture_it_applies_to(fault, name):
    check(fault, name)


def test_faults_can_be_read_and_name_probes_that_exist():
    ids = {probe.id for probe in discovery.probes().items}
    assert not FOUND.unreadable and len(FOUND.items) >= 3
    assert {fault.probe_id for fault in FOUND.items} <= ids
    assert all(fault.description and set(fault.applies_to) <= {"*", *NAMES} for fault in FOUND.items)


def test_every_fault_is_one_file_in_the_folder_of_its_stage():
    for fault in FOUND.items:
        assert fault.inject.__module__ == f"probes.faults.{STAGES[fault.probe_id]}.{fault.id}"
    homes = {fault.inject.__module__.rpartition(".")[0] for fault in FOUND.items}
    files = [name for home in homes for name in pkgutil.iter_modules(import_module(home).__path__)]
    assert len(files) == len(FOUND.items), "a file that holds no fault"


def test_a_broken_collator_is_one_root_with_the_rest_beneath_it():
    fault = next(fault for fault in FOUND.items if fault.id == "labels_masked")
    report = diagnose.preflight(**fault.inject(healthy("mt5")))
    (root,) = report.diagnosis
    assert root.probe == "LAB001" and "Valid labels: 0/" in root.finding.message and "(0.0%)" in root.finding.message
    assert {outcome.probe for outcome in root.consequences} == {"LOS001", "LOS057", "GRD002"}


@pytest.mark.slow
def test_two_independent_faults_are_two_roots():
    faults = {fault.id: fault for fault in FOUND.items}
    broken = faults["optimizer_built_too_early"].inject(faults["padding_left_in_labels"].inject(healthy("whisper")))
    report = diagnose.preflight(**broken)
    assert [root.probe for root in report.diagnosis] == ["LAB002", "PAR002"]

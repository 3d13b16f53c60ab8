"""The drill: faults go into a fresh subject in a child, the gate looks, and the scoreboard says what came of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from diagnose import Severity
from diagnose.cli import main
from diagnose.common.forked_workers import WorkerFailure, run_forked
from diagnose.drill.applicability import not_applicable_reason
from diagnose.drill.expand_facts import expand_facts, facts_after_fault
from diagnose.drill.results import FaultTrial, HealthyTrial, TrialStatus
from diagnose.drill.run_drill import DrillPlan, drill
from diagnose.drill.scoreboard import Scoreboard
from diagnose.drill.trial import trial
from diagnose.engine import discovery
from diagnose.engine.context import NotApplicable
from diagnose.engine.decorators import Fault
from diagnose.engine.engine import installed
from probes.healthy import NAMES, healthy

FAULTS = {fault.id: fault for fault in discovery.faults().items}
SUBJECT = """
import torch
from probes.healthy import healthy

def facts():
    return healthy("classifier", torch.initial_seed() % 1000)

def broken():
    found = facts()
    found["model"].requires_grad_(False)
    return found

def raises():
    raise RuntimeError("there is no such disk")
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "my_drilled_project.py").write_text(SUBJECT)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("my_drilled_project", None)


def plan(ids, name="classifier", **more):
    return DrillPlan(name, partial(healthy, name), tuple(FAULTS[id] for id in ids), at_once=2, **more)


@pytest.mark.parametrize(
    ("inject", "reason"),
    [
        (lambda facts: facts["train_rows"][0]["transcript"], "not given: train_rows"),
        (lambda facts: {}["transcript"], "what it changes does not exist: the subject has no 'transcript'"),
        (lambda facts: next(iter(())), "what it changes does not exist: no part of the subject fits"),
    ],
)
def test_what_a_fault_does_not_find_is_named_in_words(inject, reason):
    fault = replace(FAULTS["labels_masked"], inject=inject)
    found = trial(installed(), lambda seed: {"model": torch.nn.Linear(2, 2)}, fault, 0)
    assert (found.ending, found.reason) == (TrialStatus.NOT_APPLICABLE, reason)


def of(ending, named=True, seed=0, fault="labels_masked", **more):
    return FaultTrial(fault, "it breaks", "LAB001", "labels", seed, ending, named=named, **more)


def scored(*trials, twins=None, asked=None):
    twins = (HealthyTrial(0),) if twins is None else twins
    return Scoreboard("some", 1, twins, tuple(trials), 1.0, len(trials) if asked is None else asked)


def test_the_catalogue_has_sixty_faults_and_more_in_every_stage_that_has_probes():
    assert len(FAULTS) >= 60
    stages = {probe.id[:3] for probe in installed().probes}
    assert stages - {"MEM"} <= {fault.probe_id[:3] for fault in FAULTS.values()}


def test_all_caught_and_silence_is_zero_and_everything_else_is_not():
    assert scored(of(TrialStatus.CAUGHT)).exit_code == 0
    assert scored(of(TrialStatus.CAUGHT, named=False)).exit_code == 0
    assert scored(of(TrialStatus.CAUGHT), of(TrialStatus.MISSED, named=False)).exit_code == 1
    assert scored(of(TrialStatus.CAUGHT), twins=(HealthyTrial(0, ("LAB002 somewhere",)),)).exit_code == 1
    assert scored(of(TrialStatus.NOT_APPLICABLE, named=False)).exit_code == 2
    assert scored(of(TrialStatus.CAUGHT), of(TrialStatus.UNPROVEN, named=False)).exit_code == 2
    assert scored(of(TrialStatus.CAUGHT), asked=2).exit_code == 2


def test_shares_count_only_the_trials_in_which_a_fault_applies():
    figures = scored(
        of(TrialStatus.CAUGHT),
        of(TrialStatus.CAUGHT, named=False, seed=1),
        of(TrialStatus.NOT_APPLICABLE, False, fault="other"),
    ).figures()
    assert (figures["recall"], figures["named"], figures["trials"], figures["not_applicable"]) == (1.0, 0.5, 2, 1)


def test_a_fault_that_does_not_fit_says_why():
    assert not_applicable_reason(("*",), ()) == "" and not_applicable_reason(("whisper", "mt5"), ("mt5",)) == ""
    assert not_applicable_reason(("whisper", "e2e", "hybrid"), ("mt5",)) == "there is no speech in it"
    assert "a classifier of pairs" in not_applicable_reason(("classifier",), ("whisper",))


@pytest.mark.parametrize("name", NAMES)
def test_every_healthy_subject_is_like_itself(name):
    engine = installed()
    assert tuple(engine.context(expand_facts(engine, healthy(name))).get("subject_kind")) == (name,)


def test_what_holds_the_run_as_it_was_is_not_asked_once_a_part_is_another():
    before = {"model": 1, "optimizer": 2, "training_step": 3, "evaluate": 4}
    assert facts_after_fault(before, before) == before
    assert facts_after_fault(before, {**before, "optimizer": 9}) == {"model": 1, "optimizer": 9}
    assert facts_after_fault(before, {**before, "training_step": 9})["evaluate"] == 4


def test_children_that_raise_die_or_dawdle_are_told_and_hide_no_other():
    work = {
        "well": lambda: 41 + 1,
        "raises": lambda: 1 / 0,
        "dies": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "leaves": lambda: sys.exit(3),
    }
    answers = dict(run_forked(work, at_once=2))
    assert answers["well"] == 42
    assert {key for key, answer in answers.items() if isinstance(answer, WorkerFailure)} == {"raises", "dies", "leaves"}
    assert "ZeroDivisionError" in answers["raises"].reason
    ((_, late),) = run_forked({0: lambda: time.sleep(60)}, 1, seconds=0.5)
    assert "too long" in late.reason


def test_temporary_files_of_a_child_go_with_it():
    import tempfile

    ((_, path),) = run_forked({0: lambda: tempfile.mkdtemp()}, 1)
    assert not Path(path).exists()


@pytest.mark.slow
def test_a_fault_is_caught_named_timed_and_quoted():
    told = []
    score = drill(installed(), plan(["everything_frozen", "labels_masked"], seeds=2), told.append)
    assert score.exit_code == 0 and score.whole and score.figures()["recall"] == 1.0 == score.figures()["named"]
    assert [type(result) for result in told[:2]] == [HealthyTrial] * 2 and len(told) == 6
    (_, other) = score.rows
    assert (other.fault, other.caught, other.named) == ("everything_frozen", 2, 2)
    frozen = next(t for t in score.trials if t.fault == "everything_frozen")
    assert frozen.stage == "parameters" and frozen.seconds > 0 and "Trainable: 0" in frozen.words
    masked = next(t for t in score.trials if t.fault == "labels_masked")
    assert masked.ending is TrialStatus.NOT_APPLICABLE and masked.reason


@pytest.mark.slow
def test_an_alarm_that_is_broken_is_found_out():
    engine = installed()
    deaf = replace(engine, probes=tuple(p for p in engine.probes if p.severity is Severity.NOTE or p.id == "PAR001"))
    score = drill(deaf, plan(["order_kept"]))
    assert score.exit_code in (1, 2) and not score.having(TrialStatus.CAUGHT)
    deaf = replace(engine, probes=tuple(p for p in engine.probes if not p.id.startswith(("GRD", "LOS", "LRN", "PLC"))))
    faults = (replace(FAULTS["loss_times_zero"], probe_id="PAR001"),)
    (missed,) = drill(deaf, replace(plan([]), faults=faults)).trials
    assert missed.ending is TrialStatus.MISSED and not missed.named


@pytest.mark.slow
def test_a_fault_that_breaks_nothing_is_not_counted_as_caught():
    hollow = Fault("hollow", "nothing", "PAR001", ("*",), lambda facts: facts, lambda facts: False)
    elsewhere = Fault("elsewhere", "x", "PAR001", ("*",), lambda facts: facts["no_such"], lambda facts: False)
    refuses = Fault("refuses", "x", "PAR001", ("*",), _refuse, lambda facts: False)
    already = Fault("already", "x", "PAR001", ("*",), lambda facts: facts, lambda facts: True)
    build = partial(healthy, "classifier")
    endings = {f.id: trial(installed(), build, f, 0) for f in (hollow, elsewhere, refuses, already)}
    assert endings["hollow"].ending is TrialStatus.UNPROVEN and "finds nothing broken" in endings["hollow"].reason
    assert endings["elsewhere"].ending is TrialStatus.NOT_APPLICABLE and "no_such" in endings["elsewhere"].reason
    assert endings["refuses"].reason == "there is no mast" and "already" in endings["already"].reason


def _refuse(facts):
    raise NotApplicable("there is no mast")


@pytest.mark.slow
def test_the_subject_is_bit_for_bit_what_it_was():
    """Every child gets the very same objects: whatever a fault does to them stays in the child."""
    facts = healthy("hybrid")
    state = torch.get_rng_state()
    before = {name: value.clone() for name, value in facts["model"].state_dict().items()}
    hooks = [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in facts["model"].modules()]
    ids = ["encoder_detached", "everything_frozen", "weight_not_finite", "rate_is_endless", "part_left_resting"]
    known = dict(facts)
    score = drill(installed(), DrillPlan("hybrid", lambda seed: facts, tuple(FAULTS[id] for id in ids), at_once=2))
    assert score.exit_code == 0
    assert all(torch.equal(value, before[name]) for name, value in facts["model"].state_dict().items())
    assert hooks == [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in facts["model"].modules()]
    assert all(weight.requires_grad and weight.grad is None for weight in facts["model"].parameters())
    assert all(part.training for part in facts["model"].modules()) and facts["optimizer"].param_groups[0]["lr"] == 1e-3
    assert facts == known and torch.equal(state, torch.get_rng_state())


@pytest.mark.slow
def test_the_command_on_a_persons_own_function(project):
    ids = ["everything_frozen", "learning_rate_of_nought", "encoder_detached"]
    options = [option for id in ids for option in ("--fault", id)]
    run = CliRunner().invoke(main, ["drill", "--subject", "my_drilled_project:facts", *options, "--json", "out.json"])
    assert run.exit_code == 0, run.output
    assert "2 of 2 caught, 2 named" in run.output and "DRILL PASSED" in run.output
    assert "encoder_detached: its labels are not sequences of tokens" in run.output
    data = json.loads((project / "out.json").read_text())
    assert data["totals"]["recall"] == 1.0 and len(data["trials"]) == 3 and data["healthy"][0]["alarms"] == []
    assert sorted(path.name for path in project.iterdir() if path.name != "__pycache__") == [
        "my_drilled_project.py",
        "out.json",
    ]


@pytest.mark.slow
def test_a_subject_with_a_fault_of_its_own_is_a_false_alarm(project):
    run = CliRunner().invoke(main, ["drill", "--subject", "my_drilled_project:broken", "--fault", "order_kept"])
    assert run.exit_code == 1 and "PAR001" in run.output and "DRILL FAILED" in run.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--subject", "my_drilled_project:facts", "--fault", "encoder_detatched"], "nearest: encoder_detached"),
        (["--fault", "encoder_detached"], "--config FILE or --subject"),
        (["--subject", "my_drilled_project:nobody"], "there is no such name"),
        (["--config", "no_such_config"], "no_such_config"),
    ],
)
def test_bad_input_is_one_sentence(project, words, said):
    run = CliRunner().invoke(main, ["drill", *words])
    assert run.exit_code == 2 and said in run.output and "Traceback" not in run.output


@pytest.mark.slow
def test_a_subject_that_cannot_be_built_is_told_in_one_sentence(project):
    run = CliRunner().invoke(main, ["drill", "--subject", "my_drilled_project:raises", "--fault", "order_kept"])
    assert run.exit_code == 2 and "there is no such disk" in run.output and "Traceback" not in run.output


def test_the_faults_can_be_listed():
    run = CliRunner().invoke(main, ["drill", "--list", "--fault", "encoder_*"])
    assert run.exit_code == 0 and [line.split()[0] for line in run.output.splitlines()] == [
        "encoder_detached",
        "encoder_zeroed",
    ]


@pytest.mark.slow
def test_ctrl_c_ends_the_children_and_shows_what_was_seen(project):
    command = [str(Path(sys.executable).with_name("diagnose")), "drill", "--subject", "my_drilled_project:facts"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for line in run.stderr:
        if "caught by" in line:
            break
    os.killpg(run.pid, signal.SIGINT)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 130 and "interrupted" in out
    with pytest.raises(ProcessLookupError):
        for _ in range(100):  # children that have ended are in the group until the system has collected them
            os.killpg(run.pid, 0)
            time.sleep(0.1)

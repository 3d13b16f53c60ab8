"""What a report looks like to a person: the diagnosis, 80 columns, no colour where there is no terminal."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from diagnose import Severity
from diagnose.engine.runner import Selection
from diagnose.gate.output_folder import ChangesSince, PreflightFolder
from diagnose.gate.run_preflight import Preflight
from diagnose.render.progress import LiveProgress, preflight_progress
from diagnose.render.text import show
from tests.support.fake_probes import examine, finds, passes, probe_of


def shown(report, width=80, colour=False, **rest):
    out = io.StringIO()
    system = {"force_terminal": True, "color_system": "standard"} if colour else {}
    console = Console(file=out, width=width, markup=False, highlight=False, emoji=False, **system)
    show(Preflight(report, **rest), console)
    return out.getvalue()


def test_the_diagnosis_reads_as_a_person_would_say_it():
    probes = [finds("LAB001", explains=("LOS*",)), finds("LOS001"), finds("PAR001", severity=Severity.WARNING)]
    lines = shown(examine([*probes, probe_of("GEN001", lambda generate: ())])).splitlines()
    assert lines[:9] == [
        "1. LAB001 error  batch 0",
        "     measured 3 at batch 0, expected 0",
        "     fix: put it right",
        "     leads to: LOS001 (1 error)",
        "2. PAR001 warning  batch 0",
        "     measured 3 at batch 0, expected 0",
        "     fix: put it right",
        "",
        "1 check not run: skipped after LAB001; use --all to run anyway",
    ]
    verdict = " ".join(lines[9:-1])
    assert verdict.startswith("DO NOT START TRAINING: 2 errors, 1 warning, 3 checks run in ")
    assert verdict.endswith("; LAB001 at batch 0: measured 3 at batch 0, expected 0")
    assert lines[-1] == "next: diagnose explain LAB001"


def test_what_did_not_look_stands_there_with_its_reason():
    def model_parts(model):
        raise OSError("models/x does not exist")

    def first_step(model_parts):
        return 1

    probes = [
        probe_of("LOS001", lambda first_step: ()),
        probe_of("PAR001", lambda model_parts: ()),
        probe_of("GEN001", lambda generate: ()),
        probe_of("CFG001", lambda model: [3]),
    ]
    text = shown(examine(probes, [model_parts, first_step]), width=200)
    assert text.count("models/x does not exist") == 1
    lines = [line.rstrip() for line in text.splitlines()]
    assert "1 check crashed: TypeError: probe_cfg001 yielded a int, not a Finding" in lines
    assert "2 checks blocked: model_parts: OSError: models/x does not exist" in lines
    assert "1 check not run: facts not given; pass generate= to check 1 more" in lines
    assert lines[-1].endswith("CFG001 crashed: TypeError: probe_cfg001 yielded a int, not a Finding")
    assert "2 blocked, 1 crashed" in text and "INCONCLUSIVE: 0 checks run" in text


def verdict(report):
    """The line of the verdict, without the time."""
    words = shown(report, width=200).replace(" in 0.0 s", "").splitlines()
    return next(line for line in reversed(words) if not line.startswith("next: "))


def test_the_last_line_says_whether_to_start():
    skipped = probe_of("GEN001", lambda generate: ())
    assert verdict(examine([passes("LOS001"), skipped])) == "ALL CHECKS PASSED - READY TO TRAIN: 1 check run"
    wrong = verdict(examine([finds("LOS001"), passes("LAB001")]))
    assert wrong.startswith("DO NOT START TRAINING: 1 error, 2 checks run; LOS001 at batch 0: measured 3")
    assert verdict(examine([])) == "INCONCLUSIVE: 0 checks run; no check could run"
    note = finds("ENV001", severity=Severity.NOTE)
    assert verdict(examine([note, passes("LOS001")])) == "ALL CHECKS PASSED - READY TO TRAIN: 1 note, 2 checks run"
    part = verdict(examine([passes("LOS001")], selection=Selection(ids=("LOS001",))))
    assert part == "ALL CHECKS PASSED: 1 check run; only a full preflight opens the gate"
    assert verdict(examine([passes("STP001")])) == "ALL CHECKS PASSED: 1 check run"


@pytest.mark.parametrize(
    ("probes", "ignored", "said"),
    [
        ([finds("LAB001", severity=Severity.WARNING)], {}, "READY TO TRAIN: 1 warning, 3 checks run"),
        (
            [finds("LAB001", severity=Severity.WARNING)],
            {"LOS001": "known"},
            "READY TO TRAIN: 1 warning, 2 checks run, 1 ignored",
        ),
        ([], {"LOS001": "known"}, "READY TO TRAIN: 1 check run, 1 ignored"),
    ],
)
def test_all_checks_passed_is_not_said_when_something_was_found_or_ignored(probes, ignored, said):
    report = examine([*probes, passes("LOS001"), passes("GRD001")], selection=Selection(ignored=ignored))
    assert verdict(report) == said
    assert ("ignored: " in shown(report)) == bool(ignored)


def test_a_thousand_findings_collapse_to_the_count_the_worst_five_and_the_file():
    report = examine([finds("LAB001", wheres=[f"row {n}" for n in range(1000)])])
    text = shown(report, folder=PreflightFolder(Path("out/preflight")))
    assert len(text.splitlines()) < 20
    assert all(f"row {n}" in text for n in range(5)) and "row 5" not in text
    assert "and 995 more" in text and "all 1,000: out/preflight/findings/LAB001.jsonl" in text
    assert "1 error, 1 check run" in text and "--json" in shown(report)


def test_what_changed_since_the_last_preflight():
    report = examine([finds("LAB001")])
    text = shown(report, since=ChangesSince(resolved=(("LOS001", "batch 0"),), new=(("LAB001", "row 3"),)), width=120)
    assert "since the last preflight: 1 gone (LOS001), 1 new (LAB001)" in text
    assert "since the last" not in shown(report, since=ChangesSince((), ()))


def test_eighty_columns_suffice_and_square_brackets_stay():
    wheres = ["outputs/[bold]run[/bold]/" + "very_long_name_" * 10, "tokens [1, 2] " * 12]
    text = shown(examine([finds("LAB001", wheres=wheres)]))
    assert max(map(len, text.splitlines())) <= 80
    assert "[bold]run[/bold]" in text


def test_a_terminal_does_not_obey_what_the_data_holds():
    text = shown(examine([finds("LAB001", wheres=["row \x1b]0;owned\x07 \x9b31m"])]))
    assert "row \ufffd]0;owned \ufffd31m" in text and "\x1b" not in text


def test_the_live_line_says_stage_probe_fact_and_seconds_on_one_line():
    moving = LiveProgress()
    moving.on_probe(passes("LOS001"))
    assert moving.line().plain.endswith("loss · LOS001 probe_los001") and " s  " in moving.line().plain
    moving.on_fact("first_step")
    assert moving.line().plain.endswith("probe_los001 · measuring first_step")
    assert len(Console(file=io.StringIO(), width=30).render_lines(moving.line())) == 1


def test_elsewhere_a_line_for_each_stage(capsys):
    with preflight_progress() as watcher:
        for id in ("DAT001", "DAT002", "LOS001"):
            watcher.on_probe(passes(id))
    said = capsys.readouterr()
    assert said.err == "preflight: data\npreflight: loss\n" and said.out == ""


def test_no_colour_where_there_is_no_terminal_red_yellow_green_where_there_is(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    wrong, odd, fine = (
        examine([finds("LOS001")]),
        examine([finds("LOS001", (), Severity.WARNING)]),
        examine([passes("LOS001")]),
    )
    assert "\x1b" not in shown(wrong)
    assert "\x1b[1;31mDO NOT START TRAINING" in shown(wrong, colour=True)
    assert "\x1b[1;33mLOS001 warning" in shown(odd, colour=True)
    assert "\x1b[1;32mALL CHECKS PASSED" in shown(fine, colour=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in shown(wrong, colour=True)

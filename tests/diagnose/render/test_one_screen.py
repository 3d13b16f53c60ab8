"""The report on one screen, over real healthy runs: how many lines, how wide, and what -q, -v and -vv add."""

import io
import json

import pytest
from rich.console import Console

import diagnose
from diagnose import Severity, Verdict
from diagnose.common.progress import Verbosity
from diagnose.engine.runner import Selection
from diagnose.gate.run_preflight import Preflight
from diagnose.render.lines import print_lines
from diagnose.render.text import preflight_lines
from probes.healthy import healthy
from tests.support.fake_probes import examine, finds, passes, probe_of


@pytest.fixture(scope="module", params=["whisper", "mt5"])
def report(request):
    return diagnose.preflight(progress=False, **healthy(request.param))


def printed(report, detail=Verbosity.NORMAL, width=80, on_go="train --config my.yaml"):
    console = Console(file=io.StringIO(), width=width, color_system=None, markup=False, highlight=False, emoji=False)
    print_lines(preflight_lines(Preflight(report), detail, on_go), console)
    return console.file.getvalue().splitlines()


def test_a_healthy_run_takes_at_most_15_lines_of_80_columns(report):
    lines = printed(report)
    assert len(lines) <= 15 and max(map(len, lines)) <= 80
    assert lines[-1] == "next: train --config my.yaml"
    assert lines[-2].startswith("ALL CHECKS PASSED - READY TO TRAIN: ") and " checks run in " in lines[-2]


def test_every_stage_that_ran_is_told_with_checks_and_time(report):
    text = "\n".join(printed(report))
    ran = {outcome.stage for outcome in report.outcomes if outcome.ran}
    assert len(ran) >= 9 and all(f"{stage} " in text for stage in ran)
    assert f"{sum(outcome.ran for outcome in report.outcomes)} checks run in" in text


def test_every_check_that_did_not_run_is_counted_under_a_reason(report):
    counted = [int(line.split()[0]) for line in printed(report) if " not run: " in line]
    assert sum(counted) == len(report.having(diagnose.Status.SKIPPED)) and len(counted) <= 5


def test_what_can_never_run_before_a_run_is_not_counted(report):
    assert not [outcome for outcome in report.outcomes if outcome.stage == "steps"]
    assert not [cost for cost in report.costs if cost.stage == "steps"]


def test_v_lists_skipped_checks_by_reason_and_vv_everything(report):
    skipped = report.having(diagnose.Status.SKIPPED)
    normal, more, everything = ("\n".join(printed(report, detail, 200)) for detail in list(Verbosity)[1:])
    assert not any(outcome.probe in normal for outcome in skipped)
    assert all(outcome.probe in more and outcome.reason in more for outcome in skipped)
    assert all(outcome.name in everything for outcome in report.outcomes)
    assert len(normal) < len(more) < len(everything)


def test_q_is_the_verdict_line_alone(report):
    (line,) = printed(report, Verbosity.QUIET)
    assert line == printed(report)[-2]


def test_print_of_a_report_is_the_text_and_repr_is_one_line(report):
    assert str(report).splitlines() == printed(report, on_go="") and len(str(report)) < 10_000
    assert repr(report).startswith("<Report go: 0 findings, ") and "\n" not in repr(report)


def test_show_prints_it_and_write_json_writes_it(report, capsys, tmp_path):
    report.show()
    assert capsys.readouterr().out.splitlines() == printed(report, width=10_000, on_go="")
    path = report.write_json(tmp_path / "new" / "report.json")
    assert json.loads(path.read_text())["verdict"] == "go"


def test_notes_are_counted_and_shown_by_v():
    report = examine(
        [finds("CFG001", severity=Severity.NOTE), finds("CFG002", severity=Severity.NOTE), passes("LOS001")]
    )
    assert "2 notes, 3 checks run" in "\n".join(printed(report)) and "CFG001" not in "\n".join(printed(report))
    assert "1. CFG001 note  batch 0" in printed(report, Verbosity.VERBOSE)


def test_a_broken_run_fits_on_a_screen_with_its_root_causes_first_and_the_error_in_the_verdict():
    probes = [finds(f"LAB{n:03}", explains=("LRN*",) if n == 1 else ()) for n in range(1, 9)]
    probes += [finds(f"LRN{n:03}") for n in range(1, 30)] + [finds("CFG001", severity=Severity.NOTE)]
    lines = printed(examine(probes, selection=Selection(run_all=True)))
    assert len(lines) < 40 and max(map(len, lines)) <= 80
    assert lines[0] == "1. LAB001 error  batch 0" and lines[-1] == "next: diagnose explain LAB001"
    text = " ".join(line.strip() for line in lines)
    assert "leads to: LRN001, LRN002, " in text and "(29 errors)" in text
    assert "8. LAB008 error  batch 0" in text
    verdict = text.partition("DO NOT START TRAINING: ")[2]
    assert verdict.startswith("37 errors, 1 note, 38 checks run in ")
    assert "; LAB001 at batch 0: measured 3 at batch 0, expected 0 next:" in verdict


def test_findings_with_one_fix_count_once_and_severities_never_mix():
    report = examine([finds("DAT001", wheres=["a", "b", "c"]), finds("CFG001", severity=Severity.WARNING)])
    assert "DO NOT START TRAINING: 1 error, 1 warning, 2 checks run" in " ".join(printed(report))


def test_the_html_is_escaped_and_begins_with_verdict_and_root_cause():
    report = examine([finds("LAB001", ("LOS*",), wheres=["<script>alert(1)</script>"]), finds("LOS001")])
    html = report._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;alert(1)" in html
    assert html.index("DO NOT START TRAINING") < html.index("<li><b>LAB001 error</b>") < html.index("leads to: LOS001")
    assert "REPORT" not in html and len(html) < 2000


def test_the_former_value_of_the_verdict_is_still_read():
    assert Verdict("cannot-vouch") is Verdict.INCONCLUSIVE == "inconclusive"
    with pytest.raises(ValueError, match="maybe"):
        Verdict("maybe")


def test_an_inconclusive_run_says_what_broke():
    report = examine([passes("LOS001"), probe_of("LAB001", lambda train_rows: ())], model=1, train_rows=[])
    lines = printed(report)
    assert "1 check blocked: train_rows: it is empty" in lines
    assert "INCONCLUSIVE: 1 check run in" in (text := " ".join(lines)) and "LAB001 blocked: train_rows" in text


def test_the_package_lists_its_public_names():
    assert dir(diagnose) == sorted(diagnose.__all__) and "preflight" in dir(diagnose)


def test_progress_of_the_api_is_silent_in_a_pipe_unless_it_is_asked_for(capsys):
    facts = {"train_rows": [{"text": "a"}]}
    diagnose.preflight(select=["DAT002"], **facts)
    diagnose.preflight(select=["DAT002"], progress=False, **facts)
    assert capsys.readouterr() == ("", "")
    diagnose.preflight(select=["DAT002"], progress=True, **facts)
    assert capsys.readouterr() == ("", "preflight: data\n")

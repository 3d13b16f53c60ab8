"""The runner, the verdict and the roots."""

import pytest

from diagnose import Finding, Severity, Stage, Status, Verdict
from diagnose.common.errors import InputError
from diagnose.engine.context import Unavailable
from diagnose.engine.report import PreflightFailed
from diagnose.engine.runner import Selection
from tests.support.fake_probes import examine, finds, passes, probe_of


def crashes(id):
    def look(model):
        yield Finding("row 1", "found before the crash", "fix it")
        raise RuntimeError("a bug of ours")

    return probe_of(id, look, severity=Severity.WARNING)


def statuses(report):
    return {outcome.probe: str(outcome.status) for outcome in report.outcomes}


def test_crashed_blocked_and_empty_hide_no_other_probe_and_are_inconclusive():
    def broken(model):
        raise ValueError("no batch")

    def silence(model):
        raise Unavailable("no audio in the first batch")

    probes = [
        crashes("ENV001"),
        probe_of("DAT001", lambda broken: ()),
        probe_of("DAT002", lambda train_rows: ()),
        probe_of("DAT003", lambda silence: ()),
        probe_of("LAB001", lambda tokenizer: ()),
        passes("LOS001"),
    ]
    report = examine(probes, [broken, silence], model=1, train_rows=[])
    assert statuses(report) == {
        "ENV001": "crashed", "DAT001": "blocked", "DAT002": "blocked", "DAT003": "blocked", "LAB001": "skipped",
        "LOS001": "passed",
    }  # fmt: skip
    assert [outcome.reason_chain for outcome in report.outcomes] == [
        "RuntimeError: a bug of ours",
        "broken: ValueError: no batch",
        "train_rows: it is empty",
        "silence: no audio in the first batch",
        "not given: tokenizer",
        "",
    ]
    assert (report.verdict, report.exit_code) == (Verdict.INCONCLUSIVE, 2)
    assert [finding.message for finding in report.findings] == ["found before the crash"]
    assert "a bug of ours" in report.outcomes[0].trace


@pytest.mark.parametrize(
    ("probes", "verdict", "code"),
    [
        ([passes("LOS001")], "go", 0),
        ([passes("LOS001"), finds("LAB001", severity=Severity.WARNING)], "go", 0),
        ([passes("LOS001"), finds("LAB001", severity=Severity.NOTE)], "go", 0),
        ([finds("LAB001"), crashes("LOS001")], "no-go", 1),
        ([finds("LAB001"), probe_of("LOS001", lambda train_rows: ())], "no-go", 1),
        ([passes("LAB001"), crashes("LOS001")], "inconclusive", 2),
        ([passes("LAB001"), probe_of("LOS001", lambda train_rows: ())], "inconclusive", 2),
        ([probe_of("LOS001", lambda tokenizer: ())], "inconclusive", 2),
        ([], "inconclusive", 2),
    ],
)
def test_precedence_of_the_verdict(probes, verdict, code):
    report = examine(probes, model=1, train_rows=[])
    assert (report.verdict, report.exit_code) == (verdict, code)
    if verdict == "go":
        assert report.require() is report
    else:
        with pytest.raises(PreflightFailed) as failure:
            report.require()
        assert failure.value.report is report and str(failure.value).startswith(verdict.replace("-v", " v"))


def test_a_probe_may_yield_milder_findings_than_its_own_severity():
    mild = probe_of("LAB001", lambda model: [Finding("row 1", "a trifle", "look", severity=Severity.NOTE)])
    report = examine([mild])
    assert report.findings[0].severity is Severity.NOTE and report.findings[0].probe == "LAB001"
    assert report.findings[0].stage is Stage.LABELS and report.verdict is Verdict.GO and report.clean


def test_a_probe_that_yields_something_else_has_crashed():
    report = examine([probe_of("LAB001", lambda model: ["text"])])
    assert report.outcomes[0].reason == "TypeError: probe_lab001 yielded a str, not a Finding"


def test_stages_come_in_order_whatever_the_order_of_registration():
    report = examine([passes("STP001"), passes("LOS002"), passes("ENV001"), passes("DAT001")])
    assert list(statuses(report)) == ["ENV001", "DAT001", "LOS002", "STP001"]
    assert [cost.stage for cost in report.costs] == ["environment", "data", "loss", "steps"]


def test_after_an_error_the_expensive_stages_are_skipped_unless_all():
    probes = [finds("LAB001"), passes("GRD001"), passes("PRE001"), passes("LRN001"), passes("GEN001"), passes("DST001")]
    report = examine(probes)
    assert [o.probe for o in report.having(Status.SKIPPED)] == ["PRE001", "LRN001", "GEN001", "DST001"]
    assert report.having(Status.SKIPPED)[0].reason == "skipped after LAB001; use --all to run anyway"
    assert not examine(probes, selection=Selection(run_all=True)).having(Status.SKIPPED)


def test_a_warning_keeps_no_stage_from_looking():
    report = examine([finds("LAB001", severity=Severity.WARNING), passes("LRN001")])
    assert statuses(report)["LRN001"] == "passed"


def test_selection_by_stage_id_and_pattern():
    probes = [passes("LAB001"), passes("LAB002"), passes("LOS001")]
    assert list(statuses(examine(probes, selection=Selection(stages=(Stage.LABELS,))))) == ["LAB001", "LAB002"]
    assert list(statuses(examine(probes, selection=Selection(ids=("LOS*", "LAB002"))))) == ["LAB002", "LOS001"]
    assert not Selection(ids=("LOS*",)).full and not Selection(stages=(Stage.LOSS,)).full and Selection().full
    with pytest.raises(InputError, match=r"no probe 'LAB003' \(nearest: LAB00[12]\)"):
        examine(probes, selection=Selection(ids=("LAB003",)))


def test_an_ignored_probe_does_not_look_and_is_not_clean():
    report = examine([finds("LAB001"), passes("LOS001")], selection=Selection(ignored={"LAB001": "known, issue 7"}))
    assert report.outcomes[0].reason == "ignored: known, issue 7" and report.outcomes[0].status is Status.SKIPPED
    assert report.verdict is Verdict.GO and not report.clean
    with pytest.raises(InputError, match="needs a reason"):
        examine([finds("LAB001")], selection=Selection(ignored={"LAB001": " "}))


def test_an_unknown_fact_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"no fact named 'train_batch' \(nearest: train_batches\)"):
        examine([], train_batch=1)


def test_costs_count_the_passes_that_instruments_report():
    from diagnose.engine import pass_counter

    def first_step(model):
        pass_counter.count_passes(2)
        return 1.0

    report = examine(
        [probe_of("LOS001", lambda first_step: ()), probe_of("GRD001", lambda first_step: ())], [first_step]
    )
    assert [(cost.stage, cost.passes) for cost in report.costs] == [("loss", 2), ("gradients", 0)]


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({}, "shuffle the rows"),
        ({"training.seed": (1, "run.yaml", 2)}, "shuffle the rows"),
        ({"training.shuffle": (False, "default", None)}, "shuffle the rows; set training.shuffle: true"),
        ({"training.shuffle": (False, "run.yaml", 3)}, "shuffle the rows; set training.shuffle: true (run.yaml:3)"),
    ],
)
def test_a_fix_names_the_key_only_of_a_run_whose_configuration_has_it(known, told):
    def unshuffled(model):
        yield Finding("train_batches", "in turn", "shuffle the rows", setting="training.shuffle: true")

    def config_values(model):
        return known

    report = examine([probe_of("DAT901", unshuffled)], [config_values] if known else [], model=1)
    assert report.findings[0].fix == told
    assert "setting" not in report.to_json()

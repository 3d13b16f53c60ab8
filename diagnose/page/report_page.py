"""The page of a preflight: verdict and root causes first, then what was covered, then the charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnose.common.atomic_write import write_atomically
from diagnose.engine.root_causes import RootCause
from diagnose.engine.types import Severity, Stage
from diagnose.page.figures import charts_of
from diagnose.page.render import render
from diagnose.page.row_views import BUDGET, row_views, worst_first
from diagnose.render.coverage import unexamined_lines
from diagnose.render.diagnosis import counted
from diagnose.render.summary import all_summary_lines
from diagnose.render.verdict import next_command, verdict_line

if TYPE_CHECKING:
    from diagnose.engine.report import Report

PAGE = "report.html"  # the name of a page in the folder of a preflight or of a run
ROWS = 6  # of the training set, worst first
SHOWN = 50  # instances of a finding that the page lists; the JSON report has all of them


@dataclass(frozen=True)
class StageRow:
    """One stage: checks run, findings, seconds, passes through the model."""

    stage: str
    ran: int
    found: int
    seconds: float
    passes: float


@dataclass(frozen=True)
class RootView:
    """A root cause, its playbook, and what it leads to."""

    root: RootCause
    playbook: str

    @property
    def leads_to(self) -> str:
        names = ", ".join(outcome.probe for outcome in self.root.consequences)
        return f"{names} ({', '.join(counted(self.root.explains))})" if names else ""


def report_page(
    report: "Report",
    title: str = "Preflight",
    on_go: str = "",
    links: Sequence[tuple[str, str]] = (),
    predictions: Sequence[Any] = (),
    players: Sequence[Any] = (),
) -> str:
    """One self-contained HTML file; `links` are names and relative addresses of other pages."""
    roots = [RootView(root, playbook_of(root.finding.probe)) for root in report.diagnosis]
    return render(
        "report.html.j2",
        title=title,
        about={
            "verdict": str(report.verdict),
            "created": report.created,
            "title": title,
            "metrics": last_metrics(report.figures.get("records", {})),
        },
        report=report,
        verdict=verdict_line(report).plain,
        next=next_command(report, on_go),
        alarms=[view for view in roots if view.root.severity is not Severity.NOTE],
        notes=[view for view in roots if view.root.severity is Severity.NOTE],
        stages=stage_rows(report),
        numbers=[line[1].plain for line in all_summary_lines(report)],
        unexamined=[line[1].plain for line in unexamined_lines(report)],
        skipped=[outcome for outcome in report.outcomes if not outcome.ran],
        charts=charts_of(report.figures),
        links=links,
        rows=row_views(worst_first(report.rows)[:ROWS], BUDGET),
        predictions=predictions,
        players=players,
        shown=SHOWN,
    )


def write_report_page(report: "Report", path: Path) -> Path:
    write_atomically(path, report_page(report))
    return path


def stage_rows(report: "Report") -> list[StageRow]:
    """The stages in which a check ran."""
    costs: Mapping[str, Any] = {cost.stage: cost for cost in report.costs}
    rows = []
    for stage in Stage:
        outcomes = [outcome for outcome in report.outcomes if outcome.stage is stage]
        if any(outcome.ran for outcome in outcomes):
            found, cost = sum(len(o.findings) for o in outcomes), costs.get(stage)
            ran = sum(outcome.ran for outcome in outcomes)
            rows.append(StageRow(str(stage), ran, found, cost.seconds if cost else 0.0, cost.passes if cost else 0.0))
    return rows


def playbook_of(probe: str) -> str:
    """The playbook of a check as HTML; "" where its package ships none."""
    from diagnose.common.errors import InputError
    from diagnose.engine import discovery
    from diagnose.page.markdown import to_html
    from diagnose.playbook_search import explain

    try:
        return to_html(explain(probe, discovery.probes().items).markdown)
    except InputError:
        return ""


def last_metrics(figure: Mapping[str, Any]) -> dict[str, float]:
    """What the last evaluation gave, for the index; the loss comes last."""
    curves = figure.get("series", {}).items()
    found = {
        name.removeprefix("evaluation."): points[-1][1] for name, points in curves if name.startswith("evaluation.")
    }
    return dict(sorted(found.items(), key=lambda item: item[0] == "loss"))

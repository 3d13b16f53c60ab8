"""The report in a notebook: verdict, root causes first, then the checks by stage. Every text is escaped."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from diagnose.engine.root_causes import RootCause
from diagnose.engine.types import Severity
from diagnose.render.coverage import stage_lines, unexamined_lines
from diagnose.render.diagnosis import counted
from diagnose.render.lines import Line
from diagnose.render.summary import all_summary_lines
from diagnose.render.verdict import verdict_line

if TYPE_CHECKING:
    from diagnose.engine.report import Report

BACKGROUNDS = {"go": "#e6f4ea", "no-go": "#fce8e6", "inconclusive": "#fef7e0"}


def to_html(report: "Report") -> str:
    """A fragment without scripts and style sheets."""
    roots = [root for root in report.diagnosis if root.severity is not Severity.NOTE]
    covered = "<br>".join(_plain(line) for line in (*stage_lines(report), *unexamined_lines(report)))
    figures = "<br>".join(_plain(line) for line in all_summary_lines(report))
    parts = [
        f'<div style="padding:6px;background:{BACKGROUNDS[report.verdict]};color:#202124">'
        f"<b>{escape(verdict_line(report).plain)}</b></div>",
        f"<ol>{''.join(map(_root, roots))}</ol>" if roots else "",
        _details("figures", figures) if figures else "",
        _details("checks", covered),
    ]
    return f"<div>{''.join(parts)}</div>"


def _details(name: str, text: str) -> str:
    return f'<details><summary>{name}</summary><pre style="white-space:pre-wrap">{text}</pre></details>'


def _root(root: RootCause) -> str:
    return f"<li>{'<br>'.join(_root_lines(root))}</li>"


def _root_lines(root: RootCause) -> Iterator[str]:
    finding = root.finding
    yield f"<b>{escape(finding.probe)} {escape(str(finding.severity))}</b> {escape(finding.where)}"
    yield escape(finding.message)
    yield f"fix: {escape(finding.fix)}"
    if root.consequences:
        names = ", ".join(outcome.probe for outcome in root.consequences)
        yield escape(f"leads to: {names} ({', '.join(counted(root.explains))})")


def _plain(line: Line) -> str:
    return escape(" " * line[0] + line[1].plain)

"""The report for a person, in one screen: what was found, what was not checked and why, and the verdict last."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from diagnose.common.progress import Verbosity, verbosity
from diagnose.engine.root_causes import SHOWN
from diagnose.engine.types import Verdict
from diagnose.render.coverage import all_unexamined_lines, check_lines, detail_lines, stage_lines, unexamined_lines
from diagnose.render.diagnosis import diagnosis_lines
from diagnose.render.lines import Line, line, print_lines
from diagnose.render.summary import all_summary_lines, summary_lines
from diagnose.render.verdict import next_command, verdict_line

if TYPE_CHECKING:
    from diagnose.engine.report import Report
    from diagnose.gate.output_folder import ChangesSince, PreflightFolder
    from diagnose.gate.run_preflight import Preflight


def show(preflight: "Preflight", console: Console, on_go: str = "") -> None:
    """Prints it, in as much detail as -q, -v and -vv ask for. `on_go`: the command to type after a go."""
    print_lines(preflight_lines(preflight, verbosity.get(), on_go), console)


def preflight_lines(preflight: "Preflight", detail: Verbosity, on_go: str = "") -> Iterator[Line]:
    report = preflight.report
    return report_lines(report, detail, preflight.folder, _written(preflight, detail), on_go)


def report_lines(
    report: "Report",
    detail: Verbosity = Verbosity.NORMAL,
    folder: "PreflightFolder | None" = None,
    written: Iterable[Line] = (),
    on_go: str = "",
) -> Iterator[Line]:
    """Findings, checks by stage, what was not checked, what was written, the verdict and the next command."""
    if detail > Verbosity.QUIET:
        found = [*diagnosis_lines(report, folder, detail)]
        yield from found
        yield from [line("")] * bool(found)
        yield from _coverage(report, detail)
        yield from written
    yield 0, verdict_line(report)
    command = next_command(report, on_go)
    if command and detail > Verbosity.QUIET:
        yield line(f"next: {command}")


def _coverage(report: "Report", detail: Verbosity) -> Iterator[Line]:
    if detail > Verbosity.VERBOSE:
        yield from check_lines(report)
    if report.verdict is not Verdict.NO_GO or detail > Verbosity.NORMAL:
        yield from (summary_lines if detail == Verbosity.NORMAL else all_summary_lines)(report)
        yield from stage_lines(report)
    if detail == Verbosity.NORMAL:
        yield from unexamined_lines(report)
        return
    yield from all_unexamined_lines(report, names=detail > Verbosity.VERBOSE)
    yield from detail_lines(report)


def _written(preflight: "Preflight", detail: Verbosity) -> Iterator[Line]:
    if preflight.since and (preflight.since.resolved or preflight.since.new):
        yield from _changes(preflight.since, detail)
    if preflight.receipt and detail > Verbosity.NORMAL:
        yield line(f"receipt: {preflight.receipt.signature}")
    if preflight.unwritten:
        yield line(f"neither report nor receipt was written: {preflight.unwritten}", style="yellow")
    if preflight.folder:
        yield line(f"report: {preflight.folder.report}", style="dim")


def _changes(since: "ChangesSince", detail: Verbosity) -> Iterator[Line]:
    """The numbers and the probes; with -v the first findings by place."""
    both = (("gone", since.resolved), ("new", since.new))
    numbers = [f"{len(keys):,} {what} ({_probes(keys)})" for what, keys in both if keys]
    yield line(f"since the last preflight: {', '.join(numbers)}")
    for what, keys in both:
        if keys and detail > Verbosity.NORMAL:
            named = "; ".join(f"{probe} at {where}" for probe, where in keys[:SHOWN])
            more = f"; and {len(keys) - SHOWN:,} more" if len(keys) > SHOWN else ""
            yield line(f"{what}: {named}{more}", 2)


def _probes(keys: Sequence[tuple[str, str]]) -> str:
    names = list(dict.fromkeys(probe for probe, _ in keys))
    return ", ".join([*names[:SHOWN], *["..."] * (len(names) > SHOWN)])


def plain_text(report: "Report", width: int = 80) -> str:
    """The lines without colors."""
    import io

    console = Console(file=io.StringIO(), width=width, color_system=None, markup=False, highlight=False, emoji=False)
    print_lines(report_lines(report), console)
    return console.file.getvalue().rstrip("\n")  # type: ignore[attr-defined]

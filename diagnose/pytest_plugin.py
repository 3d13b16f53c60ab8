"""For teams that test their training: `pytest --preflight package.module:function`, and the fixture `preflight`."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnose.common.errors import InputError


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gonogo", "preflights of training runs")
    text = "Also run a preflight of the facts or the Trainer that this function returns, as a test; may be repeated."
    group.addoption("--preflight", action="append", default=[], metavar="PACKAGE.MODULE:FUNCTION", help=text)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    for subject in config.getoption("--preflight"):
        items.append(PreflightItem.from_parent(session, name=f"preflight {subject}", subject=subject))


class PreflightItem(pytest.Item):
    """A preflight as a test: it fails unless the verdict is GO, and shows the report."""

    def __init__(self, *, subject: str, **more: Any) -> None:
        super().__init__(**more)
        self.subject = subject

    def runtest(self) -> None:
        report_of(self.subject).require()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, InputError):
            return excinfo.value.message
        return str(getattr(excinfo.value, "report", "")) or super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, None, self.name


@pytest.fixture
def preflight() -> Callable[..., Any]:
    """`preflight(model=..., train_batches=...)` fails the test unless the verdict is GO; returns the Report.

    Takes the facts of `diagnose.preflight`, or the name of a function that returns them: preflight("my.run:facts").
    """

    def check(subject: str | None = None, **facts: Any) -> Any:
        report = report_of(subject, **facts)
        if report.exit_code:
            pytest.fail(str(report), pytrace=False)
        return report

    return check


def report_of(subject: str | None = None, **facts: Any) -> Any:
    """The Report of a subject by name, with these facts in place of its own."""
    from diagnose.api import preflight
    from diagnose.commands.subject import subject_facts

    return preflight(**((subject_facts(subject) if subject else {}) | facts), progress=False)

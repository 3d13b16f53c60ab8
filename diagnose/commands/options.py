"""What the commands that look at a run have in common: what to look at, and where the report goes."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from diagnose.engine.report import Report

FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True)
class TrainerHooks:
    """What diagnose/cli.py knows of the trainer; commands find it in click's context.obj."""

    facts_from: Callable[..., dict[str, Any]]
    replay_of: Callable[[Path], Any]
    without_weights: Callable[[str, Sequence[str]], dict[str, Any]]
    manifest_facts: Callable[..., dict[str, Any]]
    configured_manifests: Callable[[Any], dict[str, Any]]


@dataclass(frozen=True)
class Target:
    """What a command looks at: --config with --set, or --subject."""

    config: str | None
    overrides: tuple[str, ...]
    subject: str | None
    hooks: TrainerHooks

    @property
    def next_command(self) -> str:
        """What to type after a go."""
        if self.config is None:
            return f"diagnose drill --subject {self.subject}"
        overrides = [word for override in self.overrides for word in ("--set", override)]
        return shlex.join(["train", "--config", self.config, *overrides])

    def facts(self, checkpoint: Path | None = None) -> dict[str, Any]:
        return self.hooks.facts_from(self.config, self.overrides, self.subject, checkpoint)

    def facts_without_weights(self) -> dict[str, Any]:
        """Of a configuration, sizes and shapes where it names released weights; of a subject, its facts."""
        if self.config is None or self.subject is not None:
            return self.facts()
        return self.hooks.without_weights(self.config, self.overrides)

    def manifest_facts(self) -> dict[str, Any]:
        """The same, with the manifests of a configuration as columns: each is read once."""
        facts = self.facts()
        return facts | (self.hooks.configured_manifests(facts["config"]) if self.config else {})


def target_options(command: Callable[..., Any]) -> Any:
    """--config with --set, or --subject: the command gets a Target."""

    @wraps(command)
    def with_target(context: click.Context, **options: Any) -> Any:
        named = {name: options.pop(name) for name in ("config", "overrides", "subject")}
        return command(context, target=Target(**named, hooks=context.obj), **options)

    returns, overrides = "A function that returns facts or a Trainer.", "Override one value; may be repeated."
    for option in (
        click.option("--subject", metavar="PACKAGE.MODULE:FUNCTION", help=returns),
        click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help=overrides),
        click.option("--config", "-c", metavar="FILE", help="A YAML file, or the bare name of a shipped one."),
    ):
        with_target = option(with_target)
    return click.pass_context(with_target)


def report_options(command: Any) -> Any:
    """--html, --json, --sarif, --junit; `write_report` takes them."""
    for option in (
        click.option("--html", "html_path", type=FILE, help="Write the report as one HTML page."),
        click.option("--junit", "junit_path", type=FILE, help="Write the outcomes as JUnit XML."),
        click.option("--sarif", "sarif_path", type=FILE, help="Write the findings as SARIF 2.1.0."),
        click.option("--json", "json_path", type=FILE, help="Write the report as JSON."),
    ):
        command = option(command)
    return command


def write_report(
    report: "Report",
    title: str = "Preflight",
    players: Sequence[Any] = (),
    /,
    *,
    json_path: Path | None,
    sarif_path: Path | None,
    junit_path: Path | None,
    html_path: Path | None,
) -> None:
    from diagnose.common.atomic_write import write_atomically
    from diagnose.engine.report_json import to_json
    from diagnose.page.report_page import report_page
    from diagnose.render.junit import to_junit
    from diagnose.render.sarif import to_sarif

    page = partial(report_page, title=title, players=players)
    for path, render in ((json_path, to_json), (sarif_path, to_sarif), (junit_path, to_junit), (html_path, page)):
        if path:
            write_atomically(path, render(report))

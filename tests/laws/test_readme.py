"""The README and docs/ say what is there."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from diagnose.cli import main as diagnose
from tests.support.generated_docs import README, ROOT, contents
from trainer.cli import main as train

TOOLS = {"train": train, "diagnose": diagnose}
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", contents(), ids=lambda path: path.name if isinstance(path, Path) else "")
def test_generated_docs_are_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == contents()[path], "run python -m tests.support.generated_docs"


def test_the_readme_is_at_most_two_hundred_lines() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 200


def commands(page: Path) -> list[tuple[str, list[str]]]:
    """Every `train …` and `diagnose …` in backticks or in an indented or fenced block, as tool and words."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"`((?:train|diagnose) [^`]+)`", text)
    found += re.findall(r"^(?:    |\$ )?((?:train|diagnose) [-a-z].*?)(?:  .*)?$", text, re.MULTILINE)
    return [(line.split()[0], line.split()[1:]) for line in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_that_a_page_names_exists(page: Path) -> None:
    for tool, words in commands(page):
        command: click.Command = TOOLS[tool]
        if isinstance(command, click.Group) and words and not words[0].startswith("-"):
            assert words[0] in command.commands, (page.name, tool, words)
            command = command.commands[words.pop(0)]
        known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        options = [word.split("=")[0] for word in words if re.fullmatch(r"--?[a-z][-a-z]*(=.*)?", word)]
        assert set(options) <= known | {"--help", "-h"}, (page.name, tool, words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_local_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_command_is_in_the_readme_and_has_a_help() -> None:
    text = README.read_text(encoding="utf-8")
    for tool, group in TOOLS.items():
        for name, command in group.commands.items():
            assert f"`{tool} {name}" in text, f"{tool} {name}"
            assert CliRunner().invoke(command, ["--help"]).exit_code == 0

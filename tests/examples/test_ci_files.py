"""The pre-commit hook and the workflow call commands and options that exist."""

from __future__ import annotations

import re

import yaml

from diagnose.cli import main
from tests.examples.cases import FOLDER, ROOT


def commands() -> list[list[str]]:
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]
    steps = yaml.safe_load((FOLDER / "github_actions.yml").read_text())["jobs"]["preflight"]["steps"]
    runs = [step["run"] for step in steps if step.get("run", "").startswith("diagnose")]
    return [hook["entry"].split(), *(run.split() for run in runs)]


def test_the_commands_of_hook_and_workflow_exist() -> None:
    assert len(commands()) == 2
    for _, name, *words in commands():
        known = {option for parameter in main.commands[name].params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known


def test_the_workflow_uploads_the_sarif_that_it_writes() -> None:
    text = (FOLDER / "github_actions.yml").read_text()
    written = re.search(r"--sarif (\S+)", text)
    assert written and f"sarif_file: {written[1]}" in text

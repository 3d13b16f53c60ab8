"""The README says what is there."""

from __future__ import annotations

import re

from tests.support.readme_tables import README, table, written


def test_the_table_of_probes_is_that_of_the_probes() -> None:
    text = README.read_text(encoding="utf-8")
    assert written(text) == text, "python -m tests.support.readme_tables writes the table anew"
    assert "| labels |" in table()


def test_every_command_the_readme_names_exists() -> None:
    from diagnose.cli import main as diagnose
    from trainer.cli import main as train

    named = re.findall(r"`(train|diagnose) ([a-z-]+)", README.read_text(encoding="utf-8"))
    commands = {"train": train.commands, "diagnose": diagnose.commands}
    assert [(tool, name) for tool, name in named if not name.startswith("-") and name not in commands[tool]] == []

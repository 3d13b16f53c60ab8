"""The command that goes on with a stopped run says everything that was said."""

from __future__ import annotations

import shlex
from pathlib import Path

from trainer.config import load
from trainer.loop.runtime.resume_command import resume_command
from trainer.paths import shipped_config


def test_the_command_holds_every_value_that_was_set(tmp_path: Path) -> None:
    said = ("training.batch_size=2", f"output.dir={tmp_path / 'a run'}", "model.task=transcribe")
    resolved = load(shipped_config("demo_hybrid"), said)
    words = shlex.split(resume_command(resolved, epochs=2.0, subset=50))
    assert words[:3] == ["train", "--config", str(resolved.path)]
    assert words[-6:] == ["--epochs", "2.0", "--subset", "50", "--resume", "auto"]
    values = [words[number + 1] for number, word in enumerate(words) if word == "--set"]
    assert load(resolved.path, values).config == resolved.config


def test_nothing_is_added_where_nothing_was_set() -> None:
    path = shipped_config("demo_hybrid")
    assert resume_command(load(path)) == f"train --config {shlex.quote(str(path))} --resume auto"


def test_two_numbers_of_rows_are_said_as_they_were_given() -> None:
    words = shlex.split(resume_command(load(shipped_config("demo_hybrid")), subset=(100, 20)))
    assert words[-4:] == ["--subset", "100,20", "--resume", "auto"]

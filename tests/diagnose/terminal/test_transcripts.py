"""What a person types and sees, in a real terminal of 80 columns; docs/transcripts holds what each command printed."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.small_runs import write_run
from tests.support.tmux import Screen, shell
from tests.support.transcripts import ROOT, check, comparable

pytestmark = pytest.mark.slow

SUBJECT = """
from probes.faults.kit.changes import with_labels
from probes.healthy import healthy


def whisper():
    return healthy("whisper")


def broken():
    facts = whisper()
    padding = facts["tokenizer"].pad_token_id
    return with_labels(facts, lambda labels: labels.masked_fill(labels == -100, padding))
"""
TRAINING = {"max_steps": 240, "logging_steps": 80, "eval_strategy": "steps", "eval_steps": 160}
HEIGHT, TALL = 40, 60  # a training logs more than a screen
BAR = re.compile(r"training [━╸╺]+ +\d+/240 (\d:\d\d:\d\d|-:--:--)")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A person's directory: clips, a configuration with relative paths, a subject."""
    made = tmp_path_factory.mktemp("speech")
    written = write_run(made, rows=24, generation_max_length=40, **TRAINING)
    settings = json.loads(written.read_text("utf-8"))
    settings["paths"]["data_root"], settings["output"]["dir"] = ".", "my_run"
    written.unlink()
    (made / "my.yaml").write_text(json.dumps(settings, indent=2), encoding="utf-8")
    (made / "mysubject.py").write_text(SUBJECT, encoding="utf-8")
    return made


@pytest.fixture
def terminal(directory: Path) -> Iterator[Screen]:
    with shell(directory, height=TALL) as shown:
        yield shown


@pytest.fixture(scope="module")
def healthy(directory: Path) -> list[str]:
    """A healthy preflight: the runs that follow start on its receipt."""
    with shell(directory, height=HEIGHT) as shown:
        lines = ran(shown, "diagnose preflight --config my.yaml")
    check("healthy_preflight", lines, directory)
    return lines


def ran(shown: Screen, command: str) -> list[str]:
    """All that is on the screen once the command has ended; no line was broken by the terminal."""
    shown.type(command)
    lines = shown.wait_for_prompt()
    assert f"$ {command}" in lines and shown.wrapped() == []
    return lines


def test_healthy_preflight_takes_at_most_15_lines_with_the_verdict_last(healthy: list[str]) -> None:
    assert len(healthy) - 1 <= 15
    assert healthy[-2].startswith("ALL CHECKS PASSED - READY TO TRAIN: ") and " checks run in " in healthy[-2]
    assert healthy[-1] == "next: train --config my.yaml"


def test_broken_preflight_names_place_and_fix_and_ends_with_the_verdict_on_one_screen(
    terminal: Screen, directory: Path
) -> None:
    lines = ran(terminal, "diagnose preflight --subject mysubject:broken")
    text = " ".join(" ".join(lines).split())
    assert len(lines) < HEIGHT and lines[1] == "1. LAB002 error  batch 0, row 3"
    assert "     fix: set label padding to -100 in the collator" in "\n".join(lines[2:6])
    assert "DO NOT START TRAINING: 1 error, " in text and text.endswith(" next: diagnose explain LAB002")
    check("broken_preflight", lines, directory)


@pytest.mark.usefixtures("healthy")
def test_training_shows_a_bar_beneath_whole_log_lines(terminal: Screen, directory: Path) -> None:
    terminal.type("train --config my.yaml")
    during = until_bar(terminal)
    terminal.wait_for_prompt()
    lines = ran(terminal, "echo $?")
    assert lines[-1] == "0" and BAR.fullmatch(during[-1])
    assert during[:-1] == lines[: len(during) - 1] and not [line for line in lines if "━" in line]
    logged = re.findall(r"^step (\d+)/240, .*: loss ", "\n".join(lines), re.M)
    assert logged == [*map(str, range(1, 11)), "80", "160", "240"]
    check("training_with_bar", during, directory)
    check("training_ended", lines, directory)


def until_bar(shown: Screen, seconds: float = 60.0) -> list[str]:
    """One capture of the screen, with the bar beneath the first log line and before the second."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        lines = shown.lines()
        if BAR.fullmatch(lines[-1]) and "step 80/" in (text := "\n".join(lines)) and "step 160/" not in text:
            return lines
        time.sleep(0.05)
    raise AssertionError(lines)


@pytest.mark.usefixtures("healthy")
def test_ctrl_c_saves_a_checkpoint_and_says_how_to_resume(terminal: Screen, directory: Path) -> None:
    terminal.type("train --config my.yaml")
    terminal.wait_for("step 80/")
    terminal.press("C-c")
    terminal.wait_for_prompt()
    lines = ran(terminal, "echo $?")
    assert lines[-1] == "130" and not [line for line in lines if "^C" in line or "━" in line]
    stopped = re.search(r"^stopped after step (\d+); my_run/checkpoint-\1 is complete$", "\n".join(lines), re.M)
    assert stopped and (directory / "my_run" / f"checkpoint-{stopped[1]}" / "model.safetensors").is_file()
    assert "resume with: train --config my.yaml --resume auto" in lines
    check("ctrl_c", lines, directory)


def test_drill_prints_a_table_of_whole_words(terminal: Screen, directory: Path) -> None:
    lines = ran(terminal, "diagnose drill --subject mysubject:whisper --fault 'labels_m*'")
    assert lines[1].split() == ["fault", "expected", "caught", "named", "in", "its", "words"]
    rows = [line.split()[:4] for line in lines if line.startswith("labels_")]
    assert rows == [["labels_masked", "LAB001", "1/1", "1/1"], ["labels_moved_right", "LAB010", "1/1", "1/1"]]
    assert lines[-1] == "DRILL PASSED"
    check("drill", lines, directory)


def test_explain_prints_the_sections_of_the_playbook(terminal: Screen, directory: Path) -> None:
    lines = ran(terminal, "diagnose explain LAB002")
    playbook = (ROOT / "playbooks" / "label_padding_is_scored.md").read_text("utf-8")
    sections = [name for name in re.findall(r"^## (.+)$", playbook, re.M) if name not in ("Broken", "Fixed")]
    assert len(sections) >= 5 and [line for line in lines if line in sections] == sections
    check("explain", lines, directory)


def test_transcripts_differ_by_their_words_and_not_by_what_changes_from_run_to_run() -> None:
    text = "step 80/240, epoch 6.67: loss 3.936, eval_wer 100\nGO: 3 notes, 208 checks run in 9.5 s; LAB002 at row 3"
    same = "step 83/240, epoch 6.9: loss 4, eval_wer 99.5 GO: 210 checks run in 11 s;\nLAB002 at row 3"
    assert comparable(text) == comparable(same)
    for old, new in (("LAB002", "LAB003"), ("row 3", "row 4"), ("GO:", "NO-GO:"), ("/240", "/250")):
        assert comparable(text) != comparable(text.replace(old, new))

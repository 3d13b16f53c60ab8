"""What a person sees who types -h, nothing, or something that is not there."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from diagnose.cli import main as diagnose
from trainer.cli import main as train

PROGRAMS = {"diagnose": diagnose, "train": train}
COMMANDS = [(name, command) for name, main in PROGRAMS.items() for command in ("", *main.commands)]


def run(program, *arguments):
    return CliRunner().invoke(PROGRAMS[program], list(arguments), prog_name=program, terminal_width=80)


@pytest.mark.parametrize(("program", "command"), COMMANDS, ids=lambda value: value or "-")
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_has_help_that_fits_into_80_columns(program, command, option):
    shown = run(program, *[command] * bool(command), option)
    assert shown.exit_code == 0 and shown.stdout.startswith(f"Usage: {program} {command}".rstrip())
    assert max(map(len, shown.stdout.splitlines())) <= 80


@pytest.mark.parametrize("program", PROGRAMS)
def test_summaries_are_whole_and_take_one_line(program):
    shown = run(program, "-h").stdout
    assert "..." not in shown.replace("[ARGS]...", "")
    listed = shown.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert len(listed) == len(PROGRAMS[program].commands)


@pytest.mark.parametrize("program", PROGRAMS)
def test_without_arguments_there_is_help(program):
    shown = run(program)
    assert shown.exit_code == 2 and shown.stdout.startswith("Usage: ") and "error" not in shown.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ("train my.yaml", "to name a configuration: train --config my.yaml"),
        ("train dev_whisper", "to name a configuration: train --config dev_whisper"),
        ("train dev-what", "No such command 'dev-what'"),
        ("train pipline", "Did you mean 'pipeline'?"),
        ("train evaluate my.yaml", "to name a configuration: train evaluate --config my.yaml"),
        ("diagnose my.yaml", "to name a configuration: diagnose preflight --config my.yaml"),
        ("diagnose demo_mt5", "to name a configuration: diagnose preflight --config demo_mt5"),
        ("diagnose preflight my.yaml", "to name a configuration: diagnose preflight --config my.yaml"),
        ("diagnose list all", "unexpected argument 'all' (see diagnose list --help)"),
        ("train --config demo_mt5 --set training.lr=1 --print-config", "did you mean training.learning_rate?"),
        ("train --config demo_mt5 --set training.patience=1 --print-config", "mean training.early_stopping_patience?"),
    ],
)
def test_what_was_typed_wrongly_is_met_with_what_to_type(arguments, hint):
    refused = run(*arguments.split())
    assert refused.exit_code == 2 and hint in refused.stderr and refused.stderr.count("\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_once_by_one_command(shell, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for _ in range(2):
        assert run("diagnose", "completion", shell, "--install").exit_code == 0
    (startup,) = [path for path in tmp_path.rglob("*") if path.name in (".bashrc", ".zshrc", "config.fish")]
    (line,) = startup.read_text().splitlines()
    script = line.split("'")[1]
    text = Path(script).read_text()
    assert "_DIAGNOSE_COMPLETE" in text and f"{text}\n" == run("diagnose", "completion", shell).stdout


def test_a_shell_completes_commands_and_options():
    code = "import sys; from {}.cli import main; sys.argv[0] = '{}'; main()"
    for program, package, words, wanted in [
        ("diagnose", "diagnose", "diagnose pre", {"plain,preflight", "plain,precision"}),
        ("train", "trainer", "train --res", {"plain,--resume"}),
    ]:
        asked = {f"_{program.upper()}_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "1"}
        command = [sys.executable, "-c", code.format(package, program)]
        ran = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True, timeout=60)
        assert set(ran.stdout.split()) == wanted, ran.stderr


def test_a_shell_that_is_not_known_is_named(monkeypatch):
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert "'tcsh' is not supported; name one of bash, zsh, fish" in run("train", "completion").stderr
    assert isinstance(diagnose, click.Group)

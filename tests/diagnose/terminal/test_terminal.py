"""The error boundary and the streams, as a command of its own meets them."""

import errno
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from diagnose.common.errors import InputError
from diagnose.terminal import terminal
from diagnose.terminal.exit import exit_on_error

SCRIPT = """
import sys, time, click
from diagnose.terminal import terminal

@click.group(cls=terminal.CommandGroup)
def main(): ...

@main.command()
def wait():
    print("ready", flush=True)
    time.sleep(30)

@main.command()
def pour():
    for number in range(200_000):
        terminal.print_result(f"line {number}")

@main.command()
def greet():
    terminal.console().print("xin chào")

@main.command()
def crash():
    raise ZeroDivisionError("nothing\\nmore")

main()
"""


@click.group(cls=terminal.CommandGroup)
def main():
    """A command."""


@main.command()
@click.option("--dry-run", is_flag=True)
@click.option("--name", default="")
@click.option("--kind", type=click.Choice(["one_two", "three"]), default="three")
def talk_much(dry_run, name, kind):
    terminal.print_result(f"{dry_run} {name} {kind}")
    terminal.log_line("said")
    terminal.print_verbose("detailed")
    terminal.warn("warned")


@main.command()
@click.option("--verdict", type=int)
@click.pass_context
def judge(context, verdict):
    context.exit(verdict)


@main.command()
def refuse():
    raise InputError("a.csv, row 3: no audio; name the file")


@main.command()
def give_up():
    raise click.ClickException("plain")


@main.command()
def log():
    logger = logging.getLogger("trainer.somewhere")
    logger.debug("whispered")
    logger.info("told")
    logger.warning("minded")


def run(*args):
    return CliRunner().invoke(main, list(args))


def script(*args, **settings):
    return subprocess.run([sys.executable, "-c", SCRIPT, *args], capture_output=True, text=True, timeout=60, **settings)


def test_answers_go_to_stdout_and_talk_to_stderr():
    result = run("talk-much")
    assert (result.stdout, result.stderr) == ("False  three\n", "said\nwarning: warned\n")


@pytest.mark.parametrize("order", [("-q", "talk-much"), ("talk-much", "-q"), ("talk-much", "--quiet")])
def test_quiet_leaves_the_answer_and_the_warnings(order):
    result = run(*order)
    assert (result.stdout, result.stderr) == ("False  three\n", "warning: warned\n")


def test_verbose_tells_more_and_the_next_command_starts_afresh():
    assert "detailed" in run("talk-much", "-v").stderr
    assert "detailed" not in run("talk-much").stderr


def test_what_the_packages_log_is_talk():
    assert run("log").stderr == "told\nwarning: minded\n"
    assert run("log", "-q").stderr == "warning: minded\n"
    assert run("log", "-v").stderr == "whispered\ntold\nwarning: minded\n"


def test_underscores_are_dashes_in_names_and_stay_in_values():
    assert run("talk_much", "--dry_run", "--name", "a_b", "--kind", "one_two").stdout == "True a_b one_two\n"


def test_every_end_has_its_code():
    assert [run("judge", "--verdict", code).exit_code for code in "012"] == [0, 1, 2]
    assert run("--help").exit_code == 0


def test_bad_input_is_one_line_and_never_looks_like_a_verdict():
    refused, plain, usage = run("refuse"), run("give-up"), run("talk-much", "--nam")
    assert (refused.exit_code, refused.stderr) == (2, "error: a.csv, row 3: no audio; name the file\n")
    assert (plain.exit_code, plain.stderr) == (2, "error: plain\n")
    assert usage.exit_code == 2
    assert usage.stderr.startswith("error: No such option '--nam'")
    assert usage.stderr.endswith("talk-much --help)\n")
    assert usage.stderr.count("\n") == 1


def test_a_crash_is_one_sentence_and_its_traceback_lies_in_the_log_folder(tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    result = script("crash", env=environment)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("error: unexpected ZeroDivisionError: nothing; this is a fault in GoNoGo")
    log = result.stderr.rsplit(" ", 1)[1].strip()
    assert log.startswith(str(tmp_path))
    assert "Traceback (most recent call last)" in Path(log).read_text(encoding="utf-8")


def test_a_home_that_cannot_be_written_to_does_not_hide_the_crash(tmp_path):
    (tmp_path / "file").touch()
    environment = {**os.environ, "HOME": str(tmp_path / "file"), "XDG_STATE_HOME": str(tmp_path / "file")}
    result = script("crash", env={**environment, "TMPDIR": str(tmp_path)})
    assert result.returncode == 2
    assert f"the details are in {tmp_path}/crash-" in result.stderr


def test_verbose_shows_the_traceback_at_once():
    assert "ZeroDivisionError: nothing\nmore" in script("-v", "crash").stderr


def test_ctrl_c_ends_with_130_and_a_sentence():
    with subprocess.Popen([sys.executable, "-c", SCRIPT, "wait"], stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said.strip()) == (130, "stopped by Ctrl-C")


def test_a_reader_that_leaves_early_is_no_error():
    with subprocess.Popen([sys.executable, "-c", SCRIPT, "pour"], stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout.readline() == "line 0\n"
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (141, "")


def test_a_terminal_without_unicode_still_gets_an_answer():
    result = script("greet", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (result.returncode, result.stdout) == (0, "xin ch\\xe0o\n")


@pytest.mark.parametrize("name", ["NO_COLOR", "PLAIN"])
def test_no_colour_where_nobody_sees_it(name, monkeypatch, capsys):
    monkeypatch.setenv(name, "1")
    terminal.console().print("[laughter] red", style="red")
    assert capsys.readouterr().out == "[laughter] red\n"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EIO, "Input/output error"), "the system refused to read or write a file (input/output error)"),
        (
            OSError(errno.EFBIG, "File too large"),
            "cannot be written (File too large); free disk space",
        ),
        (PermissionError(errno.EACCES, "Permission denied", "a.yaml"), "a.yaml: permission denied; check who may read"),
        (MemoryError(), "out of memory; use smaller batches"),
        (OSError("no number"), "this is a fault in GoNoGo"),
        (RuntimeError("Symlink loop from 'a'"), "Symlink loop from 'a'; name the file itself"),
    ],
)
def test_what_the_system_refuses_is_no_fault_of_ours(error, words, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        exit_on_error(error)
    assert ended.value.code == 2 and words in capsys.readouterr().err

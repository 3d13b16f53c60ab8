"""Bars, status lines and log lines in a real terminal, and in a pipe."""

import os
import subprocess
import sys
import time

import pytest

from tests.support.tmux import ENDED, screen

SCRIPT = """
import logging, os, sys, time
from diagnose.common.progress import log_line, progress
from diagnose.render.progress import preflight_progress
from diagnose.terminal import terminal
from tests.support.fake_probes import passes

terminal.attach_log_handler("trainer")
with preflight_progress() as watcher:
    watcher.on_probe(passes("LOS001"))
    with progress("training", 40) as advance:
        for step in range(40):
            logging.getLogger("trainer").info("step %d, loss 0.5", step)
            print(f"stdout {step}", flush=True)
            if step == 20:
                with progress("evaluation", 4) as inner:
                    for _ in range(4):
                        time.sleep(0.1)
                        inner()
                print("middle", flush=True)
                if not os.fork():
                    os._exit(0)
                os.wait()
                time.sleep(float(sys.argv[1]))
            advance()
            time.sleep(0.02)
log_line("done")
"""
LINES = [line for step in range(40) for line in (f"step {step}, loss 0.5", f"stdout {step}")]


@pytest.mark.parametrize("width", [80, 200])
def test_log_lines_are_never_glued_to_a_bar(width):
    with screen(["-c", SCRIPT, "0"], width) as shown:
        text = shown.wait_for(ENDED)
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    assert lines == [*LINES[:42], "middle", *LINES[42:], "done", ENDED]


def test_bar_and_status_line_stand_beneath_the_log_lines():
    with screen(["-c", SCRIPT, "20"]) as shown:
        shown.wait_for("middle")
        time.sleep(1)  # the display draws itself eight times a second
        lines = [line.rstrip() for line in shown.wait_for("20/40").splitlines() if line.strip()]
    assert lines[-3] == "middle" and "loss · LOS001" in lines[-2] and lines[-1].startswith("training ")


def test_what_is_printed_goes_into_the_pipe_while_a_bar_is_shown(tmp_path):
    code = "import subprocess, sys; out = open(sys.argv[3], 'w'); "
    code += "subprocess.run([sys.executable, '-c', sys.argv[1], sys.argv[2]], stdout=out, check=True)"
    with screen(["-c", code, SCRIPT, "0", str(tmp_path / "out.txt")]) as shown:
        text = shown.wait_for(ENDED)
    printed = (tmp_path / "out.txt").read_text().splitlines()
    assert printed == [*LINES[1:42:2], "middle", *LINES[43::2]]
    assert "step 39, loss 0.5" in text and "stdout" not in text


def test_piped_lines_are_neither_padded_nor_cut():
    code = "from diagnose.terminal import terminal; from rich.table import Table\n"
    code += "table = Table(box=None); table.add_column('a'); table.add_column('b')\n"
    code += "table.add_row('x' * 300, 'word ' * 100); table.add_row('y', 'z')\n"
    code += "terminal.console().print(table); terminal.print_result('w ' * 400)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    head, first, second, last = ran.stdout.splitlines()
    assert head.split() == ["a", "b"] and "x" * 300 in first and first.endswith("word") and first.count("word") == 100
    assert second.split() == ["y", "z"] and second == second.rstrip() and last.count("w") == 400

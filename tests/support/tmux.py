"""A real terminal for tests: a program or a shell in tmux, and what its screen shows."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

ENDED = "[ended]"
PROMPT = "$ "


class Screen:
    def __init__(self, server: str) -> None:
        self.server = server

    def text(self) -> str:
        """What the screen shows now, with what was scrolled away."""
        return self._tmux("capture-pane", "-p", "-S", "-")

    def wrapped(self) -> list[str]:
        """Lines that were longer than the screen is wide, so that the terminal broke them in the middle of a word."""
        whole = self._tmux("capture-pane", "-p", "-J", "-S", "-")
        return sorted({line.rstrip() for line in whole.rstrip().splitlines()} - {"", *self.lines()})

    def lines(self) -> list[str]:
        """What the screen shows now and what was scrolled away, to the last line that is not empty."""
        return [line.rstrip() for line in self.text().rstrip().splitlines()]

    def type(self, words: str, seconds: float = 60.0) -> None:
        """Types a command at the prompt, and waits until the screen shows it."""
        before, ends = self.lines(), time.monotonic() + seconds
        self._tmux("send-keys", words, "Enter")
        while self.lines() == before and time.monotonic() < ends:
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """A key by its name in tmux, such as C-c."""
        self._tmux("send-keys", key)

    def wait_for_prompt(self, seconds: float = 120.0) -> list[str]:
        """The lines of the screen once the command that was typed has ended; the empty prompt is left out."""
        ends = time.monotonic() + seconds
        while (shown := self.lines())[-1:] != [PROMPT.strip()] and time.monotonic() < ends:
            time.sleep(0.1)
        assert shown[-1:] == [PROMPT.strip()], shown
        return shown[:-1]

    def wait_for(self, words: str, seconds: float = 60.0) -> str:
        ends = time.monotonic() + seconds
        while words not in (shown := self.text()) and time.monotonic() < ends:
            time.sleep(0.1)
        assert words in shown, shown
        return shown

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-L", self.server, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout


@contextmanager
def screen(arguments: Sequence[str], width: int = 80, height: int = 40) -> Iterator[Screen]:
    """Runs python with these arguments; the screen stays when it has ended, and says so."""
    command = f"{shlex.join([sys.executable, *arguments])}; echo '{ENDED}'; sleep 600"
    with _window(command, Path.cwd(), width, height) as shown:
        yield shown


@contextmanager
def shell(directory: Path, width: int = 80, height: int = 40) -> Iterator[Screen]:
    """A shell in that directory that finds our commands and has nobody's settings."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    root = Path(__file__).resolve().parents[2]
    settings = {"PS1": PROMPT, "PATH": path, "PYTHONPATH": str(root), "HISTFILE": ""}
    written = [f"{name}={value}" for name, value in settings.items()]
    with _window(shlex.join(["env", *written, "bash", "--norc", "--noprofile"]), directory, width, height) as shown:
        shown.wait_for_prompt()
        yield shown


@contextmanager
def _window(command: str, directory: Path, width: int, height: int) -> Iterator[Screen]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed, and this is about a real terminal")
    server = f"gonogo-test-{time.time_ns()}"
    size = ["-x", str(width), "-y", str(height), "-c", str(directory)]
    subprocess.run(
        ["tmux", "-L", server, "-f", "/dev/null", "new-session", "-d", *size, command], check=True, timeout=30
    )
    try:
        yield Screen(server)
    finally:
        subprocess.run(["tmux", "-L", server, "kill-server"], check=True, timeout=30)

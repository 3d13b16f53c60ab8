"""Notes of a process on disk, which survive if it dies or hangs."""

import pickle
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probes.facts.core.failure import FOREIGN

FRAME = re.compile(r'File "(.+?)", line (\d+) in')


@dataclass
class RankNotes:
    """The notes of one process, one file each."""

    folder: Path
    rank: int
    left: dict[str, Any] = field(default_factory=dict)
    crash: str = ""

    def leave(self, name: str, value: Any) -> None:
        """Whole or not at all."""
        path = self._path(name, self.rank)
        path.with_suffix(".part").write_bytes(pickle.dumps(value))
        path.with_suffix(".part").replace(path)

    def read(self) -> "RankNotes":
        """All that was left, read in the parent: our own children wrote it."""
        for path in self.folder.glob(f"{self.rank}.*.note"):
            self.left[path.name.split(".")[1]] = pickle.loads(path.read_bytes())
        with suppress(OSError):
            self.crash = crash_file(self.folder, self.rank).read_text(errors="replace")
        return self

    def together(self, name: str, processes: int, seconds: float) -> list[Any] | None:
        """That note of every process, once all have left it; None where one stopped before or time is over."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not any(self._path("stop", rank).exists() for rank in range(processes)):
            if all(self._path(name, rank).exists() for rank in range(processes)):
                return [pickle.loads(self._path(name, rank).read_bytes()) for rank in range(processes)]
            time.sleep(0.05)
        return None

    def has(self, name: str) -> bool:
        return self._path(name, self.rank).exists()

    def _path(self, name: str, rank: int) -> Path:
        return self.folder / f"{rank}.{name}.note"


def crash_file(folder: Path, rank: int) -> Path:
    return folder / f"{rank}.crash"


def crash_message(crash: str) -> str:
    """What a C++ library said before it ended the process."""
    said = [line.partition("what():")[2].strip() for line in crash.splitlines() if "what():" in line]
    return re.sub(r"^\[.*?\]\s*", "", said[-1]) if said else ""


def stuck_line(crash: str) -> str:
    """file:line of the user's code nearest to where the process stood when its stack was written down."""
    stacks = crash.split("(most recent call first)")
    frames = [FRAME.findall(stack) for stack in stacks[1:]]
    own = [frame for stack in frames for frame in stack if not any(part in frame[0] for part in FOREIGN)]
    return ":".join(own[0]) if own else ""

"""System calls of a run that fail once, by strace: one sentence, exit code 2, and a resume as if none had failed.

`python -m tests.bench.campaigns.failed_calls fsync EIO 3` makes one case again.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.bench.campaigns.kills import SETTINGS
from tests.support.small_runs import ROOT, write_run

CALLS, ERRORS, LAST = ("fsync", "rename", "mkdir", "unlink", "rmdir"), ("ENOSPC", "EIO", "EACCES"), 40
PATIENCE = 240.0


@dataclass(frozen=True)
class FailedCall:
    """The call of this number returns this error."""

    call: str
    error: str
    number: int

    @property
    def strace(self) -> list[str]:
        inject = f"inject={self.call}:error={self.error}:when={self.number}"
        return ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={self.call}", "-e", inject]


def cases(count: int, seed: int = 0) -> list[FailedCall]:
    """Drawn at random, each call and error in turn."""
    chance = random.Random(seed)
    pairs = [(call, error) for call in CALLS for error in ERRORS]
    return [FailedCall(*pairs[index % len(pairs)], chance.randint(1, LAST)) for index in range(count)]


def campaign(count: int) -> dict[str, object]:
    """How many runs ended well or with a sentence, and how many were identical after a resume."""
    with tempfile.TemporaryDirectory() as scratch:
        config = write_run(Path(scratch), "hybrid", rows=8, **{**SETTINGS, "max_steps": 6})
        straight = Path(scratch) / "straight"
        assert train(config, straight, [], None).returncode == 0
        found = [outcome_of(case, config, Path(scratch) / "run", straight) for case in cases(count)]
    wrong = [reason for reason in found if reason]
    return {"tried": count, "wrong": len(wrong), "first": "; ".join(wrong[:5])}


def outcome_of(case: FailedCall, config: Path, run: Path, straight: Path) -> str:
    """What went wrong in this case; nothing if it did not."""
    shutil.rmtree(run, ignore_errors=True)
    ended = train(config, run, case.strace, None)
    if ended.returncode not in (0, 2) or "Traceback" in ended.stderr or "fault in GoNoGo" in ended.stderr:
        return f"{case}: exit code {ended.returncode}, {ended.stderr.strip().splitlines()[-1:]}"
    again = train(config, run, [], "auto")
    if again.returncode:
        return f"{case}: the resume ended with {again.returncode}, {again.stderr.strip().splitlines()[-1:]}"
    same = (run / "model.safetensors").read_bytes() == (straight / "model.safetensors").read_bytes()
    kept = [sorted(path.name for path in one.glob("checkpoint-*")) for one in (run, straight)]
    if not same or kept[0] != kept[1]:
        return f"{case}: weights identical {same}, checkpoints {kept[0]} and {kept[1]}"
    return ""


def train(config: Path, run: Path, before: list[str], resume: str | None) -> subprocess.CompletedProcess[str]:
    """A run as a person starts it."""
    more = ["--resume", resume] if resume else []
    code = "from trainer.cli import main; main()"
    command = [*before, sys.executable, "-B", "-c", code, "--config", str(config), "--set", f"output.dir={run}", *more]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    skip = ["--skip-preflight", "the loop is what is tested"]
    return subprocess.run(
        [*command, *skip], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )


if __name__ == "__main__":
    CASES = [FailedCall(sys.argv[1], sys.argv[2], int(sys.argv[3]))]
    cases = lambda count, seed=0: CASES  # noqa: E731
    print(campaign(1))

"""Damaged files: each is read or refused in one sentence, within a limit of time and memory.

A seed and a number make an input again: `python -m tests.bench.campaigns.fuzz manifest 17`.
"""

from __future__ import annotations

import random
import resource
import signal
import sys
import tempfile
import wave
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from diagnose.common.errors import InputError
from diagnose.common.forked_workers import WorkerFailure, run_forked

SECONDS, MEMORY = 10, 1_000_000_000  # of one input; beyond what the process had before
LONGEST = 20_000  # characters of a message: 50 errors of a configuration
PIECES = (
    b"\0",
    b"\xff\xfe",
    b'"',
    b"\n",
    b",",
    b"{",
    b"[",
    b"-1",
    b"NaN",
    b"1e999",
    b"\x1b[2J",
    b"../",
    b"9" * 40,
    b"",
)


@dataclass(frozen=True)
class Target:
    """What is damaged, and what reads it."""

    content: bytes
    name: str
    read: Callable[[Path], object]


def targets(folder: Path) -> dict[str, Target]:
    """One for each kind of file that comes from outside."""
    from diagnose.gate.output_folder import PreflightFolder
    from tests.support.fake_probes import examine, passes
    from trainer.config import load
    from trainer.data.audio.load import load_audio
    from trainer.data.manifest import read_readable_rows, read_rows
    from trainer.loop.checkpoints.checksums import verify
    from trainer.loop.checkpoints.state_files import explain_unreadable
    from trainer.paths import shipped_config

    PreflightFolder(folder / "made").write(examine([passes("LOS001")]), _receipt(folder))
    torch.save({"last_epoch": 3, "base_lrs": [0.1], "moments": torch.ones(4, 4)}, folder / "state.pt")
    manifest = "audio_path,transcript,duration\n" + "".join(f'{n}.wav,"text, {n}",{n}.5\n' for n in range(9))

    def checkpoint_state(path: Path) -> None:
        with explain_unreadable(path):
            torch.load(path, weights_only=True)

    def both(path: Path) -> None:
        read_readable_rows(path)
        read_rows(path)

    receipt = (folder / "made" / "receipt.json").read_bytes()
    digests = b'{"format": 1, "files": {"model.safetensors": {"bytes": 3, "sha256": "00"}}}'
    return {
        "configuration": Target(shipped_config("demo_hybrid").read_bytes(), "c.yaml", load),
        "manifest": Target(manifest.encode(), "m.csv", both),
        "json_lines": Target(b'{"text": "a", "audio_filepath": "a.wav"}\n' * 5, "m.jsonl", both),
        "wav_header": Target(_tone(folder), "a.wav", lambda path: load_audio(path.name, path.parent, 16000)),
        "checkpoint": Target(digests, "digests.json", lambda path: verify(path.parent)),
        "state": Target((folder / "state.pt").read_bytes(), "s.pt", checkpoint_state),
        "receipt": Target(receipt, "receipt.json", lambda path: PreflightFolder(path.parent).proven_receipt()),
    }


def _receipt(folder: Path) -> object:
    from diagnose.gate.digests import DigestInputs, Digests
    from diagnose.gate.receipt import Receipt
    from tests.support.fake_probes import examine, passes

    return Receipt.of(examine([passes("LOS001")]), Digests.of(DigestInputs(folder)))


def _tone(folder: Path) -> bytes:
    with wave.open(str(folder / "tone.wav"), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(bytes(range(256)) * 8)
    return (folder / "tone.wav").read_bytes()


def damaged(content: bytes, number: int) -> bytes:
    """The same for the same number; damage is likelier at the beginning, where headers are."""
    chance, found = random.Random(number), bytearray(content)
    for _ in range(chance.randint(1, 6)):
        start = int(len(found) * chance.random() ** chance.choice((1, 3)))
        end = min(len(found), start + chance.choice((0, 1, 1, 4, 40)))
        how = chance.randrange(5)
        if how == 0:
            found[start:end] = bytes(chance.randrange(256) for _ in range(end - start))
        elif how == 1:
            found[start:end] = chance.choice(PIECES)
        elif how == 2:
            found[start:start] = found[start:end] * chance.choice((1, 2, 500))
        elif how == 3:
            del found[start : chance.choice((end, len(found)))]
        elif found:
            found[min(start, len(found) - 1)] ^= 1 << chance.randrange(8)
    return bytes(found)


def read_one(target: Target, folder: Path, number: int) -> str:
    """What went wrong; nothing where the file was read or refused."""
    path = folder / target.name
    path.write_bytes(damaged(target.content, number))
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError(f"over {SECONDS} s")))
    signal.alarm(SECONDS)
    try:
        target.read(path)
    except InputError as refusal:
        return (
            "" if len(refusal.message) < 20_000 and "fault in GoNoGo" not in refusal.message else "no single sentence"
        )
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.alarm(0)
    return ""


def campaign(inputs: int, only: str = "", first: int = 0) -> dict[str, dict[str, object]]:
    """By target: how many inputs, how many went wrong, and the first numbers of these."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        found = {name: target for name, target in targets(folder).items() if only in ("", name)}
        work = {name: _in_a_fork(target, folder / name, range(first, first + inputs)) for name, target in found.items()}
        results = dict(run_forked(work, at_once=1, seconds=3600.0))
    return {name: _figures(inputs, result) for name, result in results.items()}


def _in_a_fork(target: Target, folder: Path, numbers: range) -> Callable[[], dict[int, str]]:
    def work() -> dict[int, str]:
        folder.mkdir()
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
        wrong = {number: read_one(target, folder, number) for number in numbers}
        return {number: reason for number, reason in wrong.items() if reason}

    return work


def _figures(inputs: int, result: dict[int, str] | WorkerFailure) -> dict[str, object]:
    if isinstance(result, WorkerFailure):
        return {"inputs": inputs, "wrong": inputs, "first": result.reason}
    return {"inputs": inputs, "wrong": len(result), "first": str(dict(list(result.items())[:5]))}


if __name__ == "__main__":
    print(campaign(1, sys.argv[1], int(sys.argv[2])))

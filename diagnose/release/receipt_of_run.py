"""Whether a receipt is that of a run: its configuration, its data, its weights, and older than the training."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from diagnose.common.flat_keys import flatten_keys
from diagnose.curves.trainer_state import BOUND, RESOLVED
from diagnose.gate.digests import DigestInputs, Digests
from diagnose.gate.receipt import Receipt, mismatches

NAMED = 3  # changes that the page names
EVENT_TIME = re.compile(r"tfevents\.(\d{9,11})\.")  # the second at which a process began to write
WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.pth")
RANDOM = "random"


def why_of_another_run(receipt: Receipt, run: Path, audio_files: tuple[Path, ...] = ()) -> str:
    """The reason why this receipt says nothing of this run; empty when it is its own."""
    if not receipt.digests.config:
        return "it holds no configuration, so nothing shows that it is of this run"
    if reason := _too_late(receipt, run):
        return reason
    changed = list(_changes(receipt, run, audio_files))
    if not changed:
        return ""
    more = f"; and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    return f"it is of another run, or the run was changed since: {'; '.join(changed[:NAMED])}{more}"


def configuration_of(run: Path) -> dict[str, Any] | None:
    """The configuration that the run keeps, by dotted key; None where there is none to read."""
    try:
        text = (run / RESOLVED).read_text(encoding="utf-8")
        content = yaml.safe_load(text) if len(text) < BOUND else None
    except (OSError, ValueError, yaml.YAMLError):
        return None
    return flatten_keys(content) if isinstance(content, dict) else None


def compared_files(receipt: Receipt, audio_files: tuple[Path, ...] = ()) -> str:
    """What beside the configuration was compared, in words."""
    names = [*receipt.digests.manifests, *(name for name in receipt.digests.weights if name != RANDOM)]
    absent = [name for name in names if not Path(name).exists()]
    absent += ["the audio files"] * (not _comparable(receipt.digests, audio_files) and receipt.digests.audio.count > 0)
    return f"; not found here and not compared: {', '.join(absent)}" if absent else ""


def _changes(receipt: Receipt, run: Path, audio_files: tuple[Path, ...]) -> Iterator[str]:
    """Each setting, manifest, weight and audio file that differs by content; what is not there is not compared."""
    then, config = receipt.digests, configuration_of(run) or {}
    manifests = tuple(path for name in then.manifests if (path := Path(name)).exists())
    weights = tuple(path for name in then.weights if name != RANDOM and (path := Path(name)).exists())
    audio = audio_files if _comparable(then, audio_files) else ()
    inputs = DigestInputs(run, manifests=manifests, weight_files=weights, audio_files=audio)
    by_content = then.strict or then.audio_content is not None
    then, found = _contents(then), Digests.of(inputs, strict=by_content)
    now = replace(
        then,
        config={key: config[key] for key in then.config if key in config},
        manifests=then.manifests | found.manifests,
        weights=then.weights | (found.weights if weights else {}),
        audio=found.audio if audio else then.audio,
        audio_names=found.audio_names,
    )
    yield from mismatches(replace(receipt, digests=then), now)


def _contents(digests: Digests) -> Digests:
    """Audio and weights by content, where it was read."""
    audio, weights = digests.audio_content or digests.audio, digests.weights_content or digests.weights
    return replace(digests, audio=audio, weights=weights, audio_content=None, weights_content=None)


def _comparable(digests: Digests, audio_files: tuple[Path, ...]) -> bool:
    return 0 < digests.audio.count == len(audio_files) and all(path.exists() for path in audio_files)


def _too_late(receipt: Receipt, run: Path) -> str:
    """Made after the training began: by the event files' own time, else by the time of the weights."""
    made, (began, what) = datetime.fromisoformat(receipt.created), _began(run)
    if began is None or made <= began:
        return ""
    return f"it was made at {receipt.created}, after {what} ({began.isoformat(timespec='seconds')})"


def _began(run: Path) -> tuple[datetime | None, str]:
    starts = [int(found[1]) for path in run.rglob("*tfevents*") if (found := EVENT_TIME.search(path.name))]
    if starts:
        return datetime.fromtimestamp(max(starts), UTC), "the last start of the training"
    times = [path.stat().st_mtime for pattern in WEIGHTS for path in run.glob(pattern)]
    return (datetime.fromtimestamp(min(times), UTC) if times else None), "the model was saved"

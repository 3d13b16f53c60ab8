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


def why_of_another_run(receipt: Receipt, run: Path) -> str:
    """The reason why this receipt says nothing of this run; empty when it is its own."""
    if not receipt.digests.config:
        return "it holds no configuration, so nothing shows that it is of this run"
    if reason := _too_late(receipt, run):
        return reason
    changed = list(_changes(receipt, run))
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


def compared_files(receipt: Receipt) -> str:
    """What beside the configuration was compared, in words."""
    names = [*receipt.digests.manifests, *(name for name in receipt.digests.weights if name != RANDOM)]
    absent = [name for name in names if not Path(name).exists()]
    return f"; not found here and not compared: {', '.join(absent)}" if absent else ""


def _changes(receipt: Receipt, run: Path) -> Iterator[str]:
    """Each setting, manifest and weight file that differs; a file that is not there is not compared."""
    then, config = receipt.digests, configuration_of(run) or {}
    manifests = tuple(path for name in then.manifests if (path := Path(name)).exists())
    weights = tuple(path for name in then.weights if name != RANDOM and (path := Path(name)).exists())
    inputs = DigestInputs(run, manifests=manifests, weight_files=weights)
    found = Digests.of(inputs, then.strict)
    if weights and any(found.weights[name] != then.weights[name] for name in map(str, weights)):
        found = found.with_content(inputs)
    now = replace(
        then,
        config={key: config[key] for key in then.config if key in config},
        manifests=then.manifests | found.manifests,
        weights=then.weights | (found.weights if weights else {}),
        weights_content=found.weights_content and {**(then.weights_content or {}), **found.weights_content},
    )
    yield from mismatches(receipt, now)


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

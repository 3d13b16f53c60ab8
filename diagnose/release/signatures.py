"""Signatures: who answers for which check, on what evidence. Other evidence, and the signature is void."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from diagnose.common.file_digest import file_sha256
from diagnose.release.checks import CheckState, ReleaseItem

WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.pth")


@dataclass(frozen=True)
class Signature:
    """A name beneath one check; `digest` stands for the model and the evidence that were signed."""

    by: str
    when: str
    note: str
    digest: str


def model_files(run: Path) -> dict[str, str]:
    """The weights in a run's directory, by name, with their digests."""
    found = sorted(path for pattern in WEIGHTS for path in run.glob(pattern) if path.name != "training_args.bin")
    if not found:
        names = ", ".join(WEIGHTS)
        raise InputError(f"{run}: found no weights ({names}); pass the folder with the model of the run")
    return {path.name: _digest(path) for path in found}


def _digest(path: Path) -> str:
    try:
        return file_sha256(path).hex()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def digest_of(item: ReleaseItem, model: Mapping[str, str]) -> str:
    """What a signature beneath this item stands for."""
    findings = [[finding.probe, finding.where, finding.message] for finding in item.findings]
    content = [item.check.key, str(item.state), item.evidence, findings]
    return hashlib.sha256(json.dumps([content, dict(model)], sort_keys=True).encode()).hexdigest()[:32]


def signed(
    items: Iterable[ReleaseItem], model: Mapping[str, str], names: tuple[str, ...], by: str, note: str, when: str
) -> dict[str, Signature]:
    """New signatures beneath the named items, or beneath all; what fails or lacks evidence cannot be signed."""
    new = {}
    for item in items:
        if names and item.check.key not in names:
            continue
        if item.state is not CheckState.PASSED:
            if names:
                raise InputError(f"--item {item.check.key} is {item.state}, and cannot be signed: {item.evidence}")
            continue
        if item.warned and not note.strip():
            raise InputError(
                f"{item.check.title}: {item.findings[0].probe} warns ({item.findings[0].message}); explain with "
                "--note TEXT why it is acceptable"
            )
        new[item.check.key] = Signature(by, when, note.strip(), digest_of(item, model))
    return new


def valid_signatures(
    old: Any, items: Iterable[ReleaseItem], model: Mapping[str, str]
) -> tuple[dict[str, Signature], list[str]]:
    """Earlier signatures that still stand, and the names of checks whose evidence has changed since."""
    standing: dict[str, Signature] = {}
    void: list[str] = []
    found = old.get("signatures") if isinstance(old, dict) else None
    for item in items:
        fields = found.get(item.check.key) if isinstance(found, dict) else None
        if not isinstance(fields, dict) or set(fields) != set(Signature.__dataclass_fields__):
            continue
        if fields["digest"] == digest_of(item, model):
            standing[item.check.key] = Signature(**fields)
        else:
            void.append(item.check.title)
    return standing, void

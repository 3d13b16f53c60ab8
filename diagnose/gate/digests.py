"""What a receipt vouches for: configuration, data, weights, code, versions, device. What changed can be named."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diagnose.common.file_digest import file_sha256
from diagnose.common.flat_keys import flatten_keys
from diagnose.environment import device, versions
from diagnose.gate.item_digests import ItemDigests


@dataclass(frozen=True)
class DigestInputs:
    """The fact `digest_inputs`: plain data of a run. `random_weights_key`: what random weights depend on."""

    output_dir: Path
    config: Mapping[str, Any] = field(default_factory=dict)
    config_path: Path | None = None
    manifests: tuple[Path, ...] = ()
    audio_files: tuple[Path, ...] = ()
    weight_files: tuple[Path, ...] = ()
    random_weights_key: Mapping[str, Any] = field(default_factory=dict)
    source_roots: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Digests:
    """The digests of one moment. `audio_names` serve to name a file and are not saved."""

    config: dict[str, Any]
    manifests: dict[str, ItemDigests]
    audio: ItemDigests
    weights: dict[str, str]
    code: dict[str, str]
    versions: dict[str, str]
    device: str
    strict: bool = False
    audio_names: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, inputs: DigestInputs, strict: bool = False) -> "Digests":
        """Under `strict`, files are digested by content, otherwise by size and time of change."""
        weights = {str(path): short_sha256(_file(path, strict)) for path in inputs.weight_files}
        return cls(
            config=flatten_keys(json.loads(json.dumps(inputs.config, default=str))),
            manifests={str(path): ItemDigests.of(_lines(path)) for path in inputs.manifests},
            audio=ItemDigests.of(str(path).encode() + b"\n" + _file(path, strict) for path in inputs.audio_files),
            weights=weights or {"random": short_sha256(canonical(inputs.random_weights_key).encode())},
            code=dict(_sources(inputs.source_roots)),
            versions=versions(),
            device=device(),
            strict=strict,
            audio_names=tuple(str(path) for path in inputs.audio_files),
        )


def short_sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from file
    except OSError:
        yield b"missing"


def _file(path: Path, strict: bool) -> bytes:
    try:
        if strict:
            return file_sha256(path)
        stat = path.stat()
    except OSError:
        return b"missing"
    return f"{stat.st_size} {stat.st_mtime_ns}".encode()


def _sources(roots: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for root in sorted(set(roots)):
        for path in sorted(filter(Path.is_file, root.rglob("*.py"))):  # an editor's lock is a link that leads nowhere
            yield path.relative_to(root.parent).as_posix(), short_sha256(path.read_bytes())

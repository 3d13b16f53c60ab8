"""What a receipt vouches for: configuration, data, weights, code, versions, device. What changed can be named."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from diagnose.common.file_digest import file_sha256
from diagnose.common.flat_keys import flatten_keys
from diagnose.environment import device, versions
from diagnose.gate.item_digests import ItemDigests

# Contents are read once more for a receipt: 16 GB are about 140 hours of 16 kHz speech, and a minute from a plain SSD.
CONTENT_LIMIT = 16 * 2**30


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
    """The digests of one moment. `audio_names` serve to name a file and are not saved.

    `audio` and `weights` go by size and time, or by content if `strict`; `audio_content` and `weights_content` tell a
    copy (another time, the same content) from a change. They are None where there is too much to read, or not asked.
    """

    config: dict[str, Any]
    manifests: dict[str, ItemDigests]
    audio: ItemDigests
    weights: dict[str, str]
    code: dict[str, str]
    versions: dict[str, str]
    device: str
    strict: bool = False
    audio_content: ItemDigests | None = None
    weights_content: dict[str, str] | None = None
    audio_names: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, inputs: DigestInputs, strict: bool = False) -> "Digests":
        """Under `strict`, files are digested by content, otherwise by size and time of change."""
        return cls(
            config=flat_config(inputs.config),
            manifests={str(path): ItemDigests.of(_lines(path)) for path in inputs.manifests},
            audio=_audio(inputs, strict),
            weights=_weights(inputs, strict),
            code=dict(_sources(inputs.source_roots)),
            versions=versions(),
            device=device(),
            strict=strict,
            audio_names=tuple(str(path) for path in inputs.audio_files),
        )

    def with_content(self, inputs: DigestInputs) -> "Digests":
        """The same with the contents of audio and weights, unless there is too much to read."""
        if self.strict or _total_bytes((*inputs.audio_files, *inputs.weight_files)) > CONTENT_LIMIT:
            return self
        return replace(self, audio_content=_audio(inputs, True), weights_content=_weights(inputs, True))


def flat_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Values by dotted key, as JSON holds them."""
    return flatten_keys(json.loads(json.dumps(config, default=str)))


def short_sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _audio(inputs: DigestInputs, content: bool) -> ItemDigests:
    with ThreadPoolExecutor() as pool:
        found = pool.map(lambda path: _file(path, content), inputs.audio_files)
        return ItemDigests.of(str(p).encode() + b"\n" + d for p, d in zip(inputs.audio_files, found, strict=True))


def _weights(inputs: DigestInputs, content: bool) -> dict[str, str]:
    weights = {str(path): short_sha256(_file(path, content)) for path in inputs.weight_files}
    return weights or {"random": short_sha256(canonical(inputs.random_weights_key).encode())}


def _total_bytes(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths if path.exists())


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from file
    except OSError:
        yield b"missing"


def _file(path: Path, content: bool) -> bytes:
    try:
        if content:
            return file_sha256(path)
        stat = path.stat()
    except OSError:
        return b"missing"
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns}".encode()  # the latter cannot be set by a program


def _sources(roots: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for root in sorted(set(roots)):
        for path in sorted(filter(Path.is_file, root.rglob("*.py"))):  # an editor's lock is a link that leads nowhere
            yield path.relative_to(root.parent).as_posix(), short_sha256(path.read_bytes())

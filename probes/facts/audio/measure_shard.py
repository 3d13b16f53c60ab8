"""Measures a shard of audio files in whatever process it is called: names in, bytes out."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from diagnose.audit.result_store import record_in
from diagnose.audit.types import Measured
from probes.facts.audio.decode_files import scan_file
from probes.facts.audio.file_record import FileScan, pack


def measure_shard(names: Sequence[str], store: str) -> list[Measured]:
    """One result for each name; a file whose content is in the store is not decoded."""
    return [_measure(name, store) for name in names]


def crashed(name: str) -> Measured:
    """Of a file that ends the process which decodes it."""
    record = pack(FileScan("unreadable", "decoding it ends the process that tries"))
    return Measured(name, stamp_of(name), _digest(record), record)


def stamp_of(name: str) -> str:
    """Size and time of change; "" where it is not there."""
    try:
        status = os.stat(name)  # noqa: PTH116  (a Path for each of a million files costs more than the call)
    except (OSError, ValueError):
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def _measure(name: str, store: str) -> Measured:
    """By the digest of its bytes; of a WAV file, which is read in no time, of what was measured."""
    stamp, digest = stamp_of(name), b""
    if stamp and store and not _is_riff(name):
        digest = _digest_of_file(name)
        if digest and (known := record_in(store, digest)) is not None:
            return Measured(name, stamp, digest, known)
    record = pack(scan_file(name))
    return Measured(name, stamp, digest or _digest(record), record)


def _is_riff(name: str) -> bool:
    return name[-4:].lower() == ".wav"


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _digest_of_file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).digest()
    except OSError:
        return b""

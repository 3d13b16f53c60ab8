"""The records of all audio files: from the store where a file has not changed, measured where it has."""

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import soundfile

from diagnose.audit.result_store import ResultStore
from diagnose.audit.run_shards import run_shards
from diagnose.audit.types import AuditPlan
from diagnose.common.errors import InputError
from diagnose.common.progress import progress
from probes.facts.audio.measure_shard import crashed, measure_shard, stamp_of
from probes.facts.corpus.manifest_rows import is_address

SOURCES = ("decode_files", "file_record", "measure_shard", "open_files", "sound_marks", "waveform_stats")


def audit_records(names: Sequence[str], plan: AuditPlan) -> dict[str, bytes]:
    """The record of each name; of a shard, of those that are its own."""
    different = list(dict.fromkeys(names))
    if plan.merged:
        return _merged(different, plan.merged)
    if plan.store is None:
        found = _measured(different, plan, None)
        return {name: found[name] for name in different}
    with ResultStore(plan.store, measuring_version()) as store:
        mine = part_of(different, plan.shard)
        known = unchanged(store, mine)
        found = known | _measured([name for name in mine if name not in known], plan, store)
        if plan.shard:
            store.note("shard", f"{plan.shard[0]}/{plan.shard[1]}")
        return {name: found[name] for name in mine}


def known_records(names: Sequence[str], path: Path) -> dict[str, bytes]:
    """What an earlier audit measured of files that have not changed since."""
    if not path.is_file():
        return {}
    with ResultStore(path, measuring_version(), readonly=True) as store:
        return unchanged(store, names) if store.usable else {}


def measuring_version() -> str:
    """A digest of the code that measures, and the version of the library that decodes."""
    content = hashlib.blake2b(soundfile.__libsndfile_version__.encode(), digest_size=8)
    for name in ("diagnose.common.audio_headers", *(f"probes.facts.audio.{source}" for source in SOURCES)):
        spec = find_spec(name)
        content.update(Path(spec.origin).read_bytes() if spec and spec.origin else b"")
    return content.hexdigest()


def unchanged(store: ResultStore, names: Sequence[str]) -> dict[str, bytes]:
    """What is behind an address has no stamp, and is read again."""
    found = store.known([name for name in names if not is_address(name)])
    return {name: record for name, stamp, record in found if stamp == stamp_of(name)}


def part_of(names: Sequence[str], shard: tuple[int, int] | None) -> list[str]:
    """The second of five is a stretch in the middle: files that lie together are read together."""
    if shard is None:
        return list(names)
    number, count = shard
    return list(names[len(names) * (number - 1) // count : len(names) * number // count])


def _measured(names: list[str], plan: AuditPlan, store: ResultStore | None) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    if names:
        with progress("audio files", len(names)) as advance:
            for results in run_shards(measure_shard, crashed, names, plan):
                if store is not None:
                    store.add(results)
                found |= {one.name: one.record for one in results}
                advance(len(results))
    return found


def _merged(names: list[str], paths: Sequence[Path]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path in paths:
        with ResultStore(path, measuring_version(), readonly=True) as store:
            if not store.usable:
                raise InputError(f"{path}: found results of another version, expected this one; run the shard again")
            found |= {name: record for name, _, record in store.known(names)}
    lost = next((name for name in names if name not in found), None)
    if lost is not None:
        count = int(paths[0].stem.rpartition("-")[2])
        number = next(n for n in range(1, count + 1) if lost in part_of(names, (n, count)))
        raise InputError(
            f"{lost}: found no result in {len(paths)} shards, expected one for each of {len(names):,} files; "
            f"run `diagnose data --shard {number}/{count}` again"
        )
    return {name: found[name] for name in names}

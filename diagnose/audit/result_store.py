"""Results by the digest of a file's content, and the digest that each file had: what is known is not measured again.

One SQLite file. It is written after each shard, so that an audit which was interrupted goes on where it was.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from diagnose.audit.types import Measured
from diagnose.common.errors import InputError

TABLES = """
CREATE TABLE IF NOT EXISTS records (digest BLOB PRIMARY KEY, record BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, stamp TEXT, digest BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT);
"""
AT_ONCE = 500  # names in one query


def default_store() -> Path:
    from platformdirs import user_cache_path

    return Path(user_cache_path("gonogo")) / "audit.sqlite"


class ResultStore:
    """`version` names what is measured and how: the results of another version are dropped."""

    def __init__(self, path: Path, version: str, readonly: bool = False) -> None:
        self.path = path
        try:
            if not readonly:
                path.parent.mkdir(parents=True, exist_ok=True)
            mode = "ro" if readonly else "rwc"
            self.base = sqlite3.connect(f"file:{path}?mode={mode}", uri=True, timeout=60)
            if not readonly:
                self._prepare(version)
            self.usable = self.about("version") == version
        except (sqlite3.Error, OSError) as error:
            raise InputError(f"{path}: cannot be used as a store of results ({error}); name another file") from error

    def _prepare(self, version: str) -> None:
        self.base.executescript(TABLES)
        if self.about("version") != version:
            with self.base:
                self.base.execute("DELETE FROM records")
                self.base.execute("DELETE FROM files")
            self.note("version", version)

    def __enter__(self) -> "ResultStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.base.close()

    def about(self, key: str) -> str:
        found = self.base.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        return found[0] if found else ""

    def note(self, key: str, value: str) -> None:
        with self.base:
            self.base.execute("REPLACE INTO about VALUES (?, ?)", (key, value))

    def add(self, results: Iterable[Measured]) -> None:
        """All of them or none."""
        found = list(results)
        with self.base:
            self.base.executemany("REPLACE INTO records VALUES (?, ?)", [(one.digest, one.record) for one in found])
            rows = [(one.name, one.stamp, one.digest) for one in found]
            self.base.executemany("REPLACE INTO files VALUES (?, ?, ?)", rows)

    def known(self, names: Sequence[str]) -> Iterator[tuple[str, str, bytes]]:
        """Name, stamp and record of those that were measured before, in no order."""
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT name, stamp, record FROM files JOIN records USING (digest) WHERE name IN ({marks})"
            yield from self.base.execute(query, some)


def record_in(path: str, digest: bytes) -> bytes | None:
    """From the store at a path, in a worker; None where there is none."""
    if not path or not os.path.exists(path):  # noqa: PTH110  (once for each file of a corpus)
        return None
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)) as base:
        found = base.execute("SELECT record FROM records WHERE digest = ?", (digest,)).fetchone()
        return found[0] if found else None

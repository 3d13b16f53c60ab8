"""The contract of every engine: names in, a mergeable result out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """What was measured of one name. `stamp`: size and time of the file, "" if it is not there."""

    name: str
    stamp: str
    digest: bytes  # of its content
    record: bytes


Work = Callable[[Sequence[str], str], list[Measured]]  # names and the store's file ("": none); runs in any process


@dataclass(frozen=True)
class AuditPlan:
    """How an audit is run. `shard`: (2, 5) measures the second fifth only; `merged`: stores that others wrote."""

    store: Path | None = None
    jobs: int = 1
    shard: tuple[int, int] | None = None
    merged: tuple[Path, ...] = ()
    ray: str | None = None  # the address of a cluster, "" for one that is started here
    writes: bool = True  # a preflight only reads the store

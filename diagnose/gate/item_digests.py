"""Many things digested in order, with two bytes kept for each, so that what changed among a million can be named."""

import hashlib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass

WIDTH = 2
NAMED = 3


@dataclass(frozen=True)
class ItemDigests:
    """`digest` decides whether anything changed; `marks` (two bytes an item) only say which: a clash costs a name."""

    digest: str
    count: int
    marks: str

    @classmethod
    def of(cls, items: Iterable[bytes]) -> "ItemDigests":
        whole, marks = hashlib.sha256(), bytearray()
        for item in items:
            whole.update(b"%d:" % len(item))
            whole.update(item)
            marks += (zlib.crc32(item) & 0xFFFF).to_bytes(WIDTH, "little")
        return cls(whole.hexdigest()[:32], len(marks) // WIDTH, b64encode(marks).decode())

    def split(self) -> list[bytes]:
        marks = b64decode(self.marks)
        return [marks[at : at + WIDTH] for at in range(0, len(marks), WIDTH)]


def difference(old: ItemDigests, new: ItemDigests, name: Callable[[int], str]) -> str:
    """What changed from the old roll to the new, in words; `name` says what stands at a position of the new one."""
    if old.digest == new.digest:
        return ""
    if old.count != new.count:
        return _shifted(old.split(), new.split(), name)
    changed = [at for at, (one, other) in enumerate(zip(old.split(), new.split(), strict=True)) if one != other]
    if not changed:
        return f"one of {new.count} changed"
    more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    return f"{', '.join(name(at) for at in changed[:NAMED])}{more} changed"


def _shifted(old: list[bytes], new: list[bytes], name: Callable[[int], str]) -> str:
    """One stretch was added, taken out or rewritten: what stays the same before and after it is left out."""
    head = next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
    room = min(len(old), len(new)) - head
    tail = next((at for at in range(room) if old[-1 - at] != new[-1 - at]), room)
    gone, come = len(old) - head - tail, len(new) - head - tail
    place = f"at {name(head)}" if head < len(new) else "at the end"
    return ", ".join(f"{count} {what}" for count, what in ((gone, "taken out"), (come, "added")) if count) + f" {place}"

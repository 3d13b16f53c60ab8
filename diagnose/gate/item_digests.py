"""One digest of an ordered list plus a 2-byte CRC per item, to name the items that changed."""

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
        return [marks[start : start + WIDTH] for start in range(0, len(marks), WIDTH)]


def difference(old: ItemDigests, new: ItemDigests, name: Callable[[int], str]) -> str:
    """What changed from `old` to `new`, in words, "" if nothing; `name` describes the item at an index of `new`."""
    if old.digest == new.digest:
        return ""
    if old.count != new.count:
        return _insertion(old.split(), new.split(), name)
    changed = [index for index, (a, b) in enumerate(zip(old.split(), new.split(), strict=True)) if a != b]
    if not changed:
        return f"one of {new.count} changed"
    more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    return f"{', '.join(name(index) for index in changed[:NAMED])}{more} changed"


def _insertion(old: list[bytes], new: list[bytes], name: Callable[[int], str]) -> str:
    """The one stretch that was added, removed or rewritten: what is the same before and after it is left out."""
    shorter = min(len(old), len(new))
    head = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    tail = next((index for index in range(shorter - head) if old[-1 - index] != new[-1 - index]), shorter - head)
    counts = ((len(old) - head - tail, "removed"), (len(new) - head - tail, "added"))
    position = f"at {name(head)}" if head < len(new) else "at the end"
    return ", ".join(f"{count} {what}" for count, what in counts if count) + f" {position}"

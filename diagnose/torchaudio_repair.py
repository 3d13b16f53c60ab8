"""Makes a torchaudio built for CUDA importable beside a CPU build of torch, reversibly.

torchaudio works without its compiled extension when the libraries are not there (rnnt_loss and forced_align excepted).
Neither torch nor torchaudio is imported here: the pair is broken exactly when that fails.
"""

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ASIDE = ".aside"


@dataclass(frozen=True)
class RepairResult:
    torch: str
    torchaudio: str
    matches: bool
    moved: tuple[str, ...]

    def __str__(self) -> str:
        pair = f"torch {self.torch} and torchaudio {self.torchaudio}"
        if self.matches:
            return f"{pair} match: nothing to repair"
        if not self.moved:
            return f"{pair}: the extension of torchaudio is already disabled, nothing left to do"
        names = ", ".join(self.moved)
        return f"{pair}: disabled {names} (renamed to *{ASIDE}; undo with diagnose env --undo-repair)"


def package_folder(name: str) -> Path | None:
    """Where a package lives, without importing it."""
    spec = find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def build_of(name: str) -> str:
    """The build that a package's own version file states: pip's metadata leaves the tag out."""
    folder = package_folder(name)
    if folder is None:
        return "absent"
    text = (folder / "version.py").read_text(encoding="utf-8")
    found = re.search(r"__version__\s*(?::\s*str\s*)?=\s*['\"]([^'\"]+)", text)
    return found.group(1) if found else "unknown"


def builds_match(torch: str, torchaudio: str) -> bool:
    """A CUDA torchaudio needs a CUDA torch of the same tag; a torchaudio without a tag or for CPU runs with any."""
    tag = torchaudio.partition("+")[2]
    return torchaudio == "absent" or not tag.startswith("cu") or tag == torch.partition("+")[2]


def libraries(suffix: str) -> list[Path]:
    folder = package_folder("torchaudio")
    return sorted((folder / "lib").glob(f"*{suffix}")) if folder else []


def repair() -> RepairResult:
    """Sets the extension's libraries aside when the pair does not match; touches nothing when it does."""
    torch, torchaudio = build_of("torch"), build_of("torchaudio")
    if builds_match(torch, torchaudio):
        return RepairResult(torch, torchaudio, matches=True, moved=())
    moved = libraries(".so")
    for path in moved:
        path.rename(path.with_name(path.name + ASIDE))
    return RepairResult(torch, torchaudio, matches=False, moved=tuple(path.name for path in moved))


def undo() -> tuple[str, ...]:
    """Puts back what repair set aside."""
    aside = libraries(ASIDE)
    for path in aside:
        path.rename(path.with_name(path.name.removesuffix(ASIDE)))
    return tuple(path.name.removesuffix(ASIDE) for path in aside)

"""Which package a name leads to, without importing it."""

import importlib.util
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from probes.facts.environment.types import PackageLocation


def find_package(name: str, marks: Sequence[str], rivals: Sequence[str]) -> PackageLocation:
    """`marks`: files that tell ours; `rivals`: distributions on the index that install under the same name."""
    folder = _folder(name)
    ours = folder is not None and all((folder / mark).exists() for mark in marks)
    beside = [told for rival in rivals if (told := _in_same_folder(rival, name, folder))]
    return PackageLocation(name, str(folder or "nothing"), ours, tuple(beside))


def _folder(name: str) -> Path | None:
    """Where it was imported from, or would be; a lone file counts as its own folder."""
    module = sys.modules.get(name)
    origin = getattr(module, "__file__", None)
    if origin is None:
        spec = importlib.util.find_spec(name)
        origin = spec.origin if spec else None
    if origin is None:
        return None
    return Path(origin).parent if Path(origin).name == "__init__.py" else Path(origin)


def _in_same_folder(rival: str, name: str, folder: Path | None) -> str:
    try:
        found = distribution(rival)
    except PackageNotFoundError:
        return ""
    place = Path(str(found.locate_file(name)))
    same = folder is not None and place.exists() and place.resolve() == folder.resolve()
    return f"{rival} {found.version}" if same else ""

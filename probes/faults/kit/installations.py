"""An installation with something wrong, made for a moment, at which the real provider looks."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


@contextmanager
def shadow_package(files: Mapping[str, str]) -> Iterator[None]:
    """Files in a folder that python looks into before all others; what they are named after is not imported yet."""
    from probes.subjects.corpus_files import folder

    place = folder()
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    with _not_imported({name.partition("/")[0].removesuffix(".py") for name in files}):
        sys.path.insert(0, str(place))
        try:
            yield
        finally:
            sys.path.remove(str(place))


@contextmanager
def without_package(package: str) -> Iterator[None]:
    """As if it had never been installed."""
    with _not_imported({package}):
        absent = _AbsentFinder(package)
        sys.meta_path.insert(0, absent)
        try:
            yield
        finally:
            sys.meta_path.remove(absent)


class _AbsentFinder:
    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def _not_imported(packages: set[str]) -> Iterator[None]:
    held = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in packages}
    for name in held:
        del sys.modules[name]
    try:
        yield
    finally:
        sys.modules.update(held)

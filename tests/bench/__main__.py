"""`python -m tests.bench [PATH ...]`: measure, print, write. A path is topic/name, or only its beginning."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from tests.bench.report import Measured, as_table, save

Measurement = tuple[str, str, Callable[[], Measured]]


def measurements() -> Iterator[Measurement]:
    """Every measurement of every topic: topic, name, function."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        found = None if path.stem.startswith(("__", "test_")) else import_module(f"tests.bench.{path.stem}")
        for name, measure in getattr(found, "MEASUREMENTS", {}).items():
            yield path.stem, name, measure


def chosen(wishes: list[str]) -> list[Measurement]:
    """All, or those whose path begins as a wish does; an unknown wish ends the command."""
    found = {f"{topic}/{name}": (topic, name, measure) for topic, name, measure in measurements()}
    wished = [path for path in found if not wishes or any(f"{path}/".startswith(f"{wish}/") for wish in wishes)]
    unknown = [wish for wish in wishes if not any(f"{path}/".startswith(f"{wish}/") for path in found)]
    if unknown:
        sys.exit(f"no measurement is called {unknown[0]}; there are {', '.join(found)}")
    return [found[path] for path in wished]


def main(wishes: list[str]) -> None:
    for topic, name, measure in chosen(wishes):
        print(f"{topic}/{name} ...", file=sys.stderr, flush=True)
        measured = measure()
        print(as_table({f"{topic}/{name}": measured.figures}), flush=True)
        save(topic, name, measured, f"make bench WHAT={topic}/{name}")


if __name__ == "__main__":
    main(sys.argv[1:])

"""`python -m tests.bench [TOPIC[/NAME] ...]`: measure, print, and write what was measured."""

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
        found = None if path.stem.startswith("__") else import_module(f"tests.bench.{path.stem}")
        for name, measure in getattr(found, "MEASUREMENTS", {}).items():
            yield path.stem, name, measure


def chosen(wishes: list[str]) -> list[Measurement]:
    """All, or those whose topic, name or topic/name is wished for; an unknown wish ends the command."""
    everything = list(measurements())
    known = {word for topic, name, _ in everything for word in (topic, name, f"{topic}/{name}")}
    unknown = [wish for wish in wishes if wish not in known]
    if unknown:
        sys.exit(f"no measurement is called {unknown[0]}; there are {', '.join(sorted(known))}")
    return [one for one in everything if not wishes or {one[0], one[1], f"{one[0]}/{one[1]}"} & set(wishes)]


def main(wishes: list[str]) -> None:
    for topic, name, measure in chosen(wishes):
        print(f"{topic}/{name} ...", file=sys.stderr, flush=True)
        measured = measure()
        print(as_table({f"{topic}/{name}": measured.figures}), flush=True)
        save(topic, name, measured, f"make bench WHAT={topic}/{name}")


if __name__ == "__main__":
    main(sys.argv[1:])

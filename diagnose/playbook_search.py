"""From an id or a symptom in a person's own words to the playbook that says what to do."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from diagnose.common.errors import InputError
from diagnose.engine.decorators import Probe
from diagnose.engine.user_facts import nearest
from diagnose.phrase_match import known_words, likeness, rarity
from diagnose.playbook_files import shipped, table

NEAR = 36.0  # of 100; below it, most of the words differ
ALSO = 3
SYMPTOM = 10.0  # of 100: what a person sees is a symptom before it is a cause


@dataclass(frozen=True)
class Playbook:
    """A markdown file; `front` are the lines a symptom is looked for in: its heading and its section Symptom."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def front(self) -> list[str]:
        upto_second_section = re.split(r"(?m)^## ", self.text)[:2]
        lines = "\n".join(upto_second_section).splitlines()
        return [self.name.replace("_", " "), *(line.strip("#->*`| ") for line in lines if line.strip("#->*`| "))]


@dataclass(frozen=True)
class Explanation:
    """What to read, and what lies near to it."""

    markdown: str
    also: tuple[str, ...] = ()

    @property
    def advice(self) -> str:
        """Without the sections Broken and Fixed: a test executes them on a small model, a person has another."""
        return re.sub(r"(?ms)^## (Broken|Fixed)\n.*?(?=^## |\Z)", "", self.markdown)


def explain(query: str, probes: Sequence[Probe]) -> Explanation:
    """By id, by name (a former one too), or by symptom; an unknown one is refused with the nearest."""
    id = former_names().get(query, query.upper())
    probe = next((p for p in probes if id == p.id or query == p.name), None)
    if probe:
        return Explanation(_of_probe(probe))
    if re.fullmatch(r"[A-Za-z]{3}\d+", query):
        near = nearest(query.upper(), [p.id for p in probes])
        raise InputError(f"there is no probe {query!r}{near}; diagnose list shows them all")
    return _of_symptom(query, probes)


@cache
def playbooks() -> tuple[Playbook, ...]:
    """All that are shipped, symptoms and probes."""
    return tuple(Playbook(path) for path in shipped("*.md") if path.stem != "README")


def former_names() -> dict[str, str]:
    """The id of each probe that had another name, by that name."""
    return table("former_names.tsv")


def phrases() -> dict[str, str]:
    """The playbook of each phrase that people type."""
    return table("phrases.tsv")


def _of_probe(probe: Probe) -> str:
    head = f"# {probe.id} {probe.name}\n\nStage {probe.stage}, severity {probe.severity}. {probe.title}\n\n"
    # A third party keeps it beside the probe.
    own = Path(probe.check.__code__.co_filename).with_name(f"{probe.name}.md")
    book = next((b for b in [*playbooks(), Playbook(own)] if b.name == probe.name and b.path.is_file()), None)
    return head + (re.sub(r"\A# .*\n+", "", book.text) if book else "There is no playbook for it.\n")


def _of_symptom(query: str, probes: Sequence[Probe]) -> Explanation:
    ids = {probe.name: probe.id for probe in probes}
    likenesses = _likenesses(query, probes)
    ranked = sorted(playbooks(), key=lambda b: (-likenesses[b.name], b.name in ids))
    near = [book for book in ranked if likenesses[book.name] >= NEAR]
    if not near:
        names = ", ".join(repr(book.name.replace("_", " ")) for book in ranked[:ALSO]) or "none yet"
        raise InputError(f"no playbook describes {query!r}; the nearest are {names}")
    also = tuple(f"diagnose explain {_titled(book.name, ids)}" for book in near[1 : 1 + ALSO])
    return Explanation(near[0].text, also)


def _titled(name: str, ids: Mapping[str, str]) -> str:
    return f"{ids[name]}  # {name.replace('_', ' ')}" if name in ids else name


def _likenesses(query: str, probes: Sequence[Probe]) -> dict[str, float]:
    """For each playbook, how well the closest of its lines, its probe's title and its phrases matches."""
    lines, weights = _index(tuple((probe.title, probe.name) for probe in probes))
    sought = known_words(query, weights)
    of_probes = {probe.name for probe in probes}
    nearest = {name: max(likeness(sought, line, weights) for line in front) for name, front in lines.items()}
    return {name: value + SYMPTOM * (name not in of_probes and value > 0) for name, value in nearest.items()}


@cache
def _index(titles: tuple[tuple[str, str], ...]) -> tuple[Mapping[str, list[str]], Mapping[str, float]]:
    """The lines of each playbook, and how rare each word is."""
    lines = {book.name: book.front for book in playbooks()}
    for line, name in [*titles, *phrases().items()]:
        lines.setdefault(name, []).append(line)
    return lines, rarity(line for front in lines.values() for line in front)

"""The marks @probe and @fault: they only describe a function; the engine does the rest."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from diagnose.engine.types import Finding, Severity, Stage

Look = Callable[..., Iterable[Finding]]


@dataclass(frozen=True)
class Probe:
    """One fault that can be named. Its facts are the parameters of `check`; its title is the docstring's first line.

    `assumes` names the traits without which it says nothing; `spoils_row`: each finding is about one row of the
    manifest, which is better left out.
    """

    id: str
    stage: Stage
    severity: Severity
    explains: tuple[str, ...]
    check: Look
    assumes: tuple[str, ...] = ()
    spoils_row: bool = False

    @property
    def name(self) -> str:
        return self.check.__name__

    @property
    def title(self) -> str:
        return (self.check.__doc__ or "").strip().splitlines()[0]

    def __call__(self, *facts: Any, **named: Any) -> Iterable[Finding]:
        return self.check(*facts, **named)


def probe(
    id: str,
    stage: Stage,
    severity: Severity,
    explains: tuple[str, ...] = (),
    assumes: tuple[str, ...] = (),
    spoils_row: bool = False,
) -> Callable[[Look], Probe]:
    """Marks a function that yields findings about the facts it names as parameters."""
    if not id.startswith(stage.prefix):
        raise ValueError(f"probe {id} is in stage {stage}, whose ids start with {stage.prefix}")

    def mark(look: Look) -> Probe:
        if not (look.__doc__ or "").strip():
            raise ValueError(f"probe {id} has no docstring; its first line is the probe's title")
        return Probe(id, stage, severity, explains, look, assumes, spoils_row)

    return mark


@dataclass(frozen=True)
class Fault:
    """A fault for healthy facts: `inject(facts)` returns broken facts, `is_present(facts)` whether it is in.

    `note`: many runs are so on purpose, or cannot be otherwise; it is told by a note, and the gate stays open.
    """

    id: str
    description: str
    probe_id: str
    applies_to: tuple[str, ...]
    inject: Callable[[dict[str, Any]], dict[str, Any]]
    is_present: Callable[[dict[str, Any]], bool]
    note: bool = False


def fault(
    description: str,
    probe_id: str,
    is_present: Callable[[dict[str, Any]], bool],
    applies_to: tuple[str, ...] = ("*",),
    note: bool = False,
) -> Callable[[Callable[[dict[str, Any]], dict[str, Any]]], Fault]:
    """Marks the function that puts the fault in, named by its id; the probe of `probe_id` must name it as a root."""
    return lambda inject: Fault(inject.__name__, description, probe_id, applies_to, inject, is_present, note)

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
    """Marks a function that yields findings about the facts it names as parameters.

        @probe(id="LAB099", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LOS*",))
        def label_is_odd(label_rows):
            "A label is an odd number, so the loss is never even."
            ...

    The first line of the docstring is the title. `explains`: checks whose findings follow from this one; `assumes`:
    traits of the run without which the question makes no sense.
    """
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
    """Marks the function that puts a fault into healthy facts; its name is the fault's id.

        @fault(description="labels are shifted twice", probe_id="LAB099", is_present=lambda facts: ...)
        def labels_shifted_twice(facts):
            return facts | {"compute_loss": ...}

    `is_present` is asked before and after; the probe must name the fault as a root cause.
    """
    return lambda inject: Fault(inject.__name__, description, probe_id, applies_to, inject, is_present, note)

"""The scoreboard: every fault over all seeds, the healthy twins, and what it comes to."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from statistics import median
from typing import Any

from diagnose.drill.results import Ending, Trial, Twin
from diagnose.engine.types import PREFIXES, Stage
from diagnose.environment import versions


@dataclass(frozen=True)
class Row:
    """One fault over all seeds in which it was put in."""

    trials: tuple[Trial, ...]

    @property
    def fault(self) -> str:
        return self.trials[0].fault

    @property
    def applied(self) -> tuple[Trial, ...]:
        return tuple(t for t in self.trials if t.ending in (Ending.CAUGHT, Ending.MISSED))

    @property
    def caught(self) -> int:
        return sum(t.ending is Ending.CAUGHT for t in self.applied)

    @property
    def named(self) -> int:
        return sum(t.named for t in self.applied)

    @property
    def shown(self) -> Trial:
        """The one to quote: the worst there is."""
        order = [Ending.UNPROVEN, Ending.MISSED, Ending.CAUGHT, Ending.NOT_APPLICABLE]
        return min(self.trials, key=lambda t: (order.index(t.ending), t.named, t.seed))

    @property
    def seconds(self) -> float:
        return median(t.seconds for t in self.applied)

    @property
    def passes(self) -> float:
        return median(t.passes for t in self.applied)


@dataclass(frozen=True)
class Score:
    """All trials of a drill, finished or cut short."""

    subject: str
    seeds: int
    twins: tuple[Twin, ...]
    trials: tuple[Trial, ...]
    elapsed: float
    asked: int

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """By the stage in which each is expected."""
        by_fault: dict[str, list[Trial]] = {}
        for trial in self.trials:
            by_fault.setdefault(trial.fault, []).append(trial)
        rows = [Row(tuple(sorted(trials, key=lambda t: t.seed))) for trials in by_fault.values()]
        return tuple(sorted(rows, key=lambda row: (_place(row.trials[0].expected), row.fault)))

    def having(self, ending: Ending) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.ending is ending)

    @property
    def applied(self) -> int:
        return len(self.having(Ending.CAUGHT)) + len(self.having(Ending.MISSED))

    @property
    def named(self) -> int:
        return sum(trial.named for trial in self.trials)

    @property
    def alarms(self) -> tuple[str, ...]:
        return tuple(f"seed {twin.seed}: {alarm}" for twin in self.twins for alarm in twin.alarms)

    @property
    def whole(self) -> bool:
        return len(self.trials) == self.asked

    @property
    def exit_code(self) -> int:
        """0: all is caught and the twins are silent; 1: not so; 2: that cannot be said."""
        if self.having(Ending.MISSED) or self.alarms:
            return 1
        return 0 if self.applied and self.whole and not self.having(Ending.UNPROVEN) else 2

    def figures(self) -> dict[str, Any]:
        """recall and named as shares of the trials in which the fault applies."""
        caught, applied = len(self.having(Ending.CAUGHT)), self.applied
        return {
            "faults": sum(bool(row.applied) for row in self.rows),
            "trials": applied,
            "recall": caught / applied if applied else None,
            "named": self.named / applied if applied else None,
            "false_alarms": len(self.alarms),
            "not_applicable": len(self.having(Ending.NOT_APPLICABLE)),
            "unproven": len(self.having(Ending.UNPROVEN)),
            "seconds": round(self.elapsed, 1),
        }

    def as_data(self) -> dict[str, Any]:
        """For --json."""
        return {
            "schema": 1,
            "subject": self.subject,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": versions(),
            "seeds": self.seeds,
            "whole": self.whole,
            "exit_code": self.exit_code,
            "totals": self.figures(),
            "healthy": [asdict(twin) for twin in self.twins],
            "trials": [asdict(trial) for trial in _in_order(self.rows)],
        }


def _in_order(rows: Sequence[Row]) -> list[Trial]:
    return [trial for row in rows for trial in row.trials]


def _place(probe: str) -> tuple[int, str]:
    prefixes = [PREFIXES[stage] for stage in Stage]
    return (prefixes.index(probe[:3]) if probe[:3] in prefixes else len(prefixes), probe)

"""The scoreboard: every fault over all seeds, the healthy subjects, and the totals."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from statistics import median
from typing import Any

from diagnose.drill.results import FaultTrial, HealthyTrial, TrialStatus
from diagnose.engine.types import Stage
from diagnose.environment import versions


@dataclass(frozen=True)
class FaultRow:
    """One fault over all seeds in which it was put in."""

    trials: tuple[FaultTrial, ...]

    @property
    def fault(self) -> str:
        return self.trials[0].fault

    @property
    def applied(self) -> tuple[FaultTrial, ...]:
        return tuple(t for t in self.trials if t.ending in (TrialStatus.CAUGHT, TrialStatus.MISSED))

    @property
    def caught(self) -> int:
        return sum(t.ending is TrialStatus.CAUGHT for t in self.applied)

    @property
    def named(self) -> int:
        return sum(t.named for t in self.applied)

    @property
    def worst(self) -> FaultTrial:
        """The one to show."""
        order = [TrialStatus.UNPROVEN, TrialStatus.MISSED, TrialStatus.CAUGHT, TrialStatus.NOT_APPLICABLE]
        return min(self.trials, key=lambda t: (order.index(t.ending), t.named, t.seed))

    @property
    def seconds(self) -> float:
        return median(t.seconds for t in self.applied)

    @property
    def passes(self) -> float:
        return median(t.passes for t in self.applied)


@dataclass(frozen=True)
class Scoreboard:
    """All trials of a drill, finished or cut short."""

    subject: str
    seeds: int
    healthy_trials: tuple[HealthyTrial, ...]
    trials: tuple[FaultTrial, ...]
    elapsed: float
    trial_count: int

    @cached_property
    def rows(self) -> tuple[FaultRow, ...]:
        """By the stage in which each is expected."""
        by_fault: dict[str, list[FaultTrial]] = {}
        for trial in self.trials:
            by_fault.setdefault(trial.fault, []).append(trial)
        rows = [FaultRow(tuple(sorted(trials, key=lambda t: t.seed))) for trials in by_fault.values()]
        return tuple(sorted(rows, key=lambda row: (_probe_order(row.trials[0].expected), row.fault)))

    def having(self, ending: TrialStatus) -> tuple[FaultTrial, ...]:
        return tuple(trial for trial in self.trials if trial.ending is ending)

    @property
    def applied(self) -> int:
        return len(self.having(TrialStatus.CAUGHT)) + len(self.having(TrialStatus.MISSED))

    @property
    def named(self) -> int:
        return sum(trial.named for trial in self.trials)

    @property
    def alarms(self) -> tuple[str, ...]:
        return tuple(f"seed {twin.seed}: {alarm}" for twin in self.healthy_trials for alarm in twin.alarms)

    @property
    def whole(self) -> bool:
        return len(self.trials) == self.trial_count

    @property
    def exit_code(self) -> int:
        """0: all faults are caught and nothing else is reported; 1: not so; 2: unknown."""
        if self.having(TrialStatus.MISSED) or self.alarms:
            return 1
        return 0 if self.applied and self.whole and not self.having(TrialStatus.UNPROVEN) else 2

    def figures(self) -> dict[str, Any]:
        """recall and named as shares of the trials in which the fault applies."""
        caught, applied = len(self.having(TrialStatus.CAUGHT)), self.applied
        return {
            "faults": sum(bool(row.applied) for row in self.rows),
            "trials": applied,
            "recall": caught / applied if applied else None,
            "named": self.named / applied if applied else None,
            "false_alarms": len(self.alarms),
            "not_applicable": len(self.having(TrialStatus.NOT_APPLICABLE)),
            "unproven": len(self.having(TrialStatus.UNPROVEN)),
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
            "healthy": [asdict(twin) for twin in self.healthy_trials],
            "trials": [asdict(trial) for row in self.rows for trial in row.trials],
        }


def _probe_order(probe: str) -> tuple[int, str]:
    prefixes = [stage.prefix for stage in Stage]
    return (prefixes.index(probe[:3]) if probe[:3] in prefixes else len(prefixes), probe)

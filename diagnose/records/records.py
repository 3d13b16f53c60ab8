"""What a run has logged: one Record per logged step, Records for all of them. Plain data, no torch."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import isfinite
from operator import attrgetter

from diagnose.records.drawn_records import drawn_records
from diagnose.records.record import Record, first_nonfinite

CONSTANT_SCHEDULES = ("constant", "plateau", "none")  # schedules that may stand still by their nature
MAX_ROWS = 512  # rows that a running log keeps; the older half is thinned, so a look at it has a bounded cost


@dataclass(frozen=True)
class Series:
    """One figure over the steps at which it is known."""

    steps: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Records:
    """The rows in the order of their steps, and what else is known of the run."""

    rows: tuple[Record, ...]
    total_steps: int | None = None
    finished: bool = False
    schedule: str | None = None  # the name of the learning rate's schedule: linear, cosine, constant...
    vocabulary: int | None = None  # V, where the loss is a plain mean cross-entropy over it
    scaled: bool | None = None  # whether a gradient scaler is at work, which skips steps that overflow
    processes: int = 1
    phases: tuple[int, ...] = ()  # steps after which the loss measures something else
    source: str = ""

    @classmethod
    def of(cls, rows: Iterable[Record], **known: object) -> "Records":
        """Rows as they were logged. A run that went back to a checkpoint logs steps again: the later ones count."""
        kept: list[Record] = []
        for row in rows:
            while kept and kept[-1].step > row.step:
                kept.pop()
            kept.append(row)
        return cls(tuple(kept), **known)  # type: ignore[arg-type]

    @property
    def last_step(self) -> int:
        return self.rows[-1].step if self.rows else 0

    @property
    def may_be_constant(self) -> bool:
        """Whether the schedule's name is known and its learning rate need not move."""
        return self.schedule is not None and any(word in self.schedule.lower() for word in CONSTANT_SCHEDULES)

    def series(self, name: str) -> Series:
        """A field of Record by its name; `evaluation.loss` and `parts.ctc` reach into the mappings."""
        if name not in self._series:
            self._series[name] = _series(self.rows, name)
        return self._series[name]

    @cached_property
    def _series(self) -> dict[str, Series]:
        return {}

    figure = drawn_records  # for the page

    @cached_property
    def evaluated(self) -> tuple[str, ...]:
        """The names of all figures that evaluations gave."""
        return tuple(dict.fromkeys(name for row in self.rows if row.evaluation for name in row.evaluation))

    @cached_property
    def broken(self) -> tuple[str, Record] | None:
        """What was not finite first: loss, grad_norm or weights, in the order in which one step computes them.

        A gradient norm that is a number again later was a scaler's search: it counts where nothing else is.
        """
        figures = [self.series(name).values for name in ("loss", "grad_norm", "weight_norm")]
        if all(isfinite(sum(values)) for values in figures) and False not in self.series("weights_finite").values:
            return None  # a finite sum proves that every value is finite
        found = [(name, row) for row in self.rows if (name := first_nonfinite(row))]
        if not found:
            return None  # large values whose sum is not
        norms = self.series("grad_norm")
        sound = max((s for s, v in zip(norms.steps, norms.values, strict=True) if isfinite(v)), default=-1)
        return next((one for one in found if one[0] != "grad_norm" or one[1].step > sound), found[0])

    @cached_property
    def finite_part(self) -> "Records":
        """The rows before anything was not finite; where it passed again, all but those in which it was not."""
        if self.broken is None:
            return self
        at = self.broken[1].step
        passed = self.recovered(3)
        return replace(self, rows=tuple(r for r in self.rows if not first_nonfinite(r) and (passed or r.step < at)))

    def recovered(self, least: int = 1) -> bool:
        """Whether what was not finite went by and did no harm: every loss since is a number, and some gradient norm.

        The losses alone do not tell: a Trainer that filters NaN logs a lost run as 0, and only its norms stay NaN.
        """
        later = [row for row in self.rows if self.broken and row.step > self.broken[1].step]
        losses = [row.loss for row in later if row.loss is not None]
        norms = [row.grad_norm for row in later if row.grad_norm is not None]
        return len(losses) >= least and all(map(isfinite, losses)) and (not norms or any(map(isfinite, norms)))

    @cached_property
    def phase(self) -> "Records":
        """The rows of the last phase: since the loss measures what it measures now, and has the parts it has now."""
        begins = max((step for step in self.phases if step < self.last_step), default=None)
        with_parts = [row for row in self.rows if row.parts]
        for before, row in pairwise(with_parts):
            if before.parts.keys() != row.parts.keys():
                begins = max(begins or 0, row.step - 1)
        if begins is None:
            return self
        return replace(self, rows=tuple(row for row in self.rows if row.step > begins), phases=())


class RecordLog:
    """Collects the records of a run that is under way, within bounds."""

    def __init__(self) -> None:
        self.rows: list[Record] = []

    def add(self, record: Record) -> None:
        """Old rows are thinned by half when there are too many; what was evaluated or not finite stays."""
        self.rows.append(record)
        if len(self.rows) > MAX_ROWS:
            old, new = self.rows[: MAX_ROWS // 2], self.rows[MAX_ROWS // 2 :]
            kept = [row for place, row in enumerate(old) if place % 2 == 0 or row.evaluation or first_nonfinite(row)]
            self.rows = kept + new

    def records(self, **known: object) -> Records:
        """What was logged so far."""
        return Records.of(self.rows, **known)


def _series(rows: Sequence[Record], name: str) -> Series:
    field_name, _, key = name.partition(".")
    steps, values = tuple(map(attrgetter("step"), rows)), tuple(map(attrgetter(field_name), rows))
    if key:
        values = tuple(found.get(key) if found else None for found in values)
    if None not in values:
        return Series(steps, values)
    known = [(step, value) for step, value in zip(steps, values, strict=True) if value is not None]
    return Series(tuple(step for step, _ in known), tuple(value for _, value in known))

"""What a run has logged: one Record for each step that was told, Records for all of them. Plain data, no torch."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite

MOST = 1024  # rows that a running log keeps; the older half is thinned, so a look at it has a bounded cost


@dataclass(frozen=True)
class Said:
    """A text that the model generated, and what it should have been."""

    text: str
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one step, or of the stretch since the record before. Only the step is always known."""

    step: int
    loss: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)  # ctc, att
    grad_norm: float | None = None  # before clipping
    clip: float | None = None  # the norm to which gradients are clipped
    lr: float | None = None
    scale: float | None = None  # of the gradient scaler
    weight_norm: float | None = None
    weights_finite: bool | None = None
    seconds: float | None = None  # for one step, waiting for data included
    loading_seconds: float | None = None  # of these, waiting for data
    epoch: float | None = None
    evaluation: Mapping[str, float] = field(default_factory=dict)  # loss, wer, bleu...: without the prefix eval_
    texts: tuple[Said, ...] = ()


@dataclass(frozen=True)
class Series:
    """One figure over the steps at which it is known."""

    steps: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Records:
    """The rows in the order of their steps, and what is known of the run beside them."""

    rows: tuple[Record, ...]
    total_steps: int | None = None
    finished: bool = False
    schedule: str | None = None  # the name of the learning rate's schedule: linear, cosine, constant...
    vocabulary: int | None = None  # V, where the loss is a plain mean cross-entropy over it
    scaled: bool | None = None  # whether a gradient scaler is at work, which skips steps that overflow
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

    def series(self, name: str) -> Series:
        """A field of Record by its name; `evaluation.loss` and `parts.ctc` reach into the mappings."""
        if name not in self._series:
            self._series[name] = _series(self.rows, name)
        return self._series[name]

    @cached_property
    def _series(self) -> dict[str, Series]:
        return {}

    @cached_property
    def evaluated(self) -> tuple[str, ...]:
        """The names of all figures that evaluations gave."""
        return tuple(dict.fromkeys(name for row in self.rows if row.evaluation for name in row.evaluation))

    @cached_property
    def broken_at(self) -> int | None:
        """The first step at which something is not finite: what comes after it follows from it."""
        return next((row.step for row in self.rows if not _sound(row)), None)

    @cached_property
    def sound(self) -> "Records":
        """The rows before anything was not finite; all of them where nothing was, or where it passed again."""
        if self.broken_at is None:
            return self
        losses = [row.loss for row in self.rows if row.loss is not None and row.step > self.broken_at]
        passed = len(losses) >= 3 and all(map(isfinite, losses))
        rows = [row for row in self.rows if (_sound(row) if passed else row.step < self.broken_at)]
        return replace(self, rows=tuple(rows))

    @cached_property
    def phase(self) -> "Records":
        """The rows of the last phase: since the loss measures what it measures now."""
        begins = max((step for step in self.phases if step < self.last_step), default=None)
        seen: set[str] | None = None
        for row in self.rows:
            if row.parts:
                begins = row.step - 1 if seen is not None and set(row.parts) != seen else begins
                seen = set(row.parts)
        if begins is None:
            return self
        return replace(self, rows=tuple(row for row in self.rows if row.step > begins), phases=())


class Log:
    """Collects the records of a run that is under way, within bounds."""

    def __init__(self) -> None:
        self.rows: list[Record] = []

    def add(self, record: Record) -> None:
        """Old rows are thinned by half when there are too many; what was evaluated or not finite stays."""
        self.rows.append(record)
        if len(self.rows) > MOST:
            old, new = self.rows[: MOST // 2], self.rows[MOST // 2 :]
            kept = [row for place, row in enumerate(old) if place % 2 == 0 or row.evaluation or not _sound(row)]
            self.rows = kept + new

    def records(self, **known: object) -> Records:
        """What was logged so far."""
        return Records.of(self.rows, **known)


def _sound(row: Record) -> bool:
    """Losses, gradients and weights are finite; an evaluation is no part of the training."""
    finite = all(value is None or isfinite(value) for value in (row.loss, row.grad_norm, row.weight_norm))
    return finite and row.weights_finite is not False


def _series(rows: Sequence[Record], name: str) -> Series:
    field_name, _, key = name.partition(".")
    if key:
        pairs = [(row.step, found[key]) for row in rows if (found := getattr(row, field_name)) and key in found]
    else:
        pairs = [(row.step, value) for row in rows if (value := getattr(row, field_name)) is not None]
    return Series(tuple(step for step, _ in pairs), tuple(value for _, value in pairs))

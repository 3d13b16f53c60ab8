"""Types for the learning rate: runs at its peak, a sweep, and the schedule."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class RatePlan:
    """How the run will update its weights at the highest rate of its schedule."""

    peak: float  # for the group with the highest rate
    warms_up: bool
    clip: float  # the largest norm of the gradient
    autocast: str  # precision of the forward pass; "" where a Trainer takes care of it


@dataclass(frozen=True)
class RateRun:
    """Updates from the same weights and batches at one share of the rate; losses before, on the way and at the end."""

    share: float
    updates: int
    losses: tuple[float, ...]  # the mean over the measured batches, at equal distances
    batches: tuple[float, ...] = ()  # at the end, each batch on its own
    sound: bool = True  # False: weights or losses are not finite any more

    @property
    def first(self) -> float:
        return self.losses[0]

    @property
    def last(self) -> float:
        return self.losses[-1]

    @property
    def moved(self) -> float:
        return abs(self.last - self.first)

    def promises(self, total: int) -> float:
        """By how much a run of so many updates moves the loss, if it goes on like this."""
        return self.moved / max(1, self.updates) * total


@dataclass(frozen=True)
class RateTrial:
    """A run at the peak rate; where that is not conclusive, runs at a lower rate or at a far higher one."""

    rate: float
    peak: RateRun
    lower: RateRun | None = None
    more: RateRun | None = None  # only where a whole run at the peak would not move the loss by `needed`
    floor: float | None = None  # entropy of the labels: what a model reaches that knows only how frequent they are
    total: int | None = None  # updates of the whole run
    needed: float = 0.0  # of the loss: what a whole run has to move it by
    warmed: bool = False  # the runs begin with a warm-up, as the schedule does
    precision: str = "fp32"
    updates: int = 0  # of all runs, also of those that a longer one replaced
    seconds: float = 0.0

    def figure(self) -> dict[str, Any]:
        """For the report: every run."""
        return asdict(self)


@dataclass(frozen=True)
class RateSweep:
    """An exponential sweep through the rates: each update at a higher one, until the loss runs away."""

    rates: tuple[float, ...]
    losses: tuple[float, ...]  # smoothed
    configured: float
    low: float | None  # from here on the loss falls
    high: float | None  # beyond, it falls no more
    seconds: float

    def figure(self) -> dict[str, Any]:
        """For the report: losses over rates, and the range."""
        return asdict(self)


@dataclass(frozen=True)
class ScheduleCurve:
    """The rate at every update, played through on a stand-in; of several groups, the one with the highest rate."""

    kind: str
    updates: int
    base: float  # what the optimiser or the configuration was given
    first: float
    peak: float
    peak_at: int  # update, counted from one
    end: float
    near_zero_fraction: float = 0.0  # share of the updates with less than a thousandth of the peak
    rises: int = 0  # how often the rate begins to rise again after it fell
    moves: bool = True
    rises_to_the_end: bool = False
    warmup: int | None = None
    length: int | None = None  # steps that the schedule was made for
    steps_per_update: int | None = 1  # its steps for each update; None: not known
    error: str = ""
    raised_at: int = 0
    epochs: float | None = None  # of the run, where the loader says how many batches an epoch has
    points: tuple[tuple[int, float], ...] = ()  # (update, rate), at most MOST_POINTS of them

    @property
    def summary(self) -> str:
        """Peak and end, for every message."""
        return f"peak {self.peak:.3g} at update {self.peak_at:,}, end {self.end:.3g}"

    def figure(self) -> dict[str, Any]:
        """For the report: the rate over the whole run."""
        return {"kind": self.kind, "updates": self.updates, "peak": self.peak, "points": self.points}

"""Types for several processes of one run, in a process group of their own on this machine."""

from dataclasses import dataclass, field

from probes.facts.core.types import Failure

PHASES = ("building", "drawing", "step", "evaluation")


@dataclass(frozen=True)
class RankBatches:
    """One epoch of one process. `first`: digests of its first batches; `data`: of the set that it draws from."""

    count: int
    whole: bool = True  # False: counting stopped before the end
    first: tuple[str, ...] = ()
    data: str = ""
    rows: int | None = None  # of that set
    all_rows: bool = False  # it names every row of that set, each once


@dataclass(frozen=True)
class RankParameter:
    """One parameter in one process: digests before and after the steps, the norm of its last gradient."""

    name: str
    before: str
    after: str = ""
    gradient: float | None = None


@dataclass(frozen=True)
class RankSteps:
    """The weights of one process before and after its steps. `own`: by the user's own training step."""

    weights: tuple[RankParameter, ...] = ()
    wrapped: str = ""  # the class that shares gradients, as the user wrapped it; "" where it is not wrapped
    own: bool = False


@dataclass(frozen=True)
class RankStop:
    """Why a process went no further: it raised, it died, it waited for the others or took too long."""

    rank: int
    phase: str
    how: str  # raised, died, waited, late
    failure: Failure
    at: float = 0.0

    def __str__(self) -> str:
        rank = f"rank {self.rank}: "
        if self.how == "raised":
            return rank + str(self.failure)
        return f"{rank}{self.failure.message}" + (f" at {self.failure.line}" if self.failure.line else "")


@dataclass(frozen=True)
class Rank:
    """The results of one process. `untried`: phases that were not run, with what was missing for them."""

    number: int
    prepared: bool = True  # False: its loader may not be sharded for this process
    batches: RankBatches | None = None
    steps: RankSteps | None = None
    evaluated: bool = False
    untried: dict[str, str] = field(default_factory=dict)
    stop: RankStop | None = None


@dataclass(frozen=True)
class Ranks:
    """The processes of one group."""

    ranks: tuple[Rank, ...]

    @property
    def root(self) -> RankStop | None:
        """The stop that made the others stop: one that died or was waited for, else the first that raised.

        Of several that waited, the one that is behind: the others are done with that phase.
        """
        stops = [rank.stop for rank in self.ranks if rank.stop]
        return min(stops, key=lambda stop: (stop.how == "raised", PHASES.index(stop.phase), stop.at), default=None)

    def stopped(self, phase: str) -> RankStop | None:
        return self.root if self.root and self.root.phase == phase else None

    def reached(self, phase: str) -> bool:
        """Whether all of them came to the end of that phase."""
        return self.root is None or PHASES.index(self.root.phase) > PHASES.index(phase)

"""Types for a value that is not finite: the operation that produced it."""

from dataclasses import dataclass

from diagnose import Finding
from probes.facts.core.types import TensorSummary


@dataclass(frozen=True)
class ModuleVisit:
    """One call of one module on the way to the origin."""

    module: str
    kind: str
    call: int  # number of the call in this pass, from 1
    values: tuple[TensorSummary, ...] = ()


@dataclass(frozen=True)
class Operation:
    """One operation inside a module."""

    module: str
    call: int
    name: str
    line: str
    values: tuple[TensorSummary, ...]


@dataclass(frozen=True)
class ExplodedWeight:
    """The largest weight of the model before the step, and the learning rate of its optimizer, where there is one."""

    name: str
    largest: float
    learning_rate: float | None = None


@dataclass(frozen=True)
class Origin:
    """The operation that produced the bad value in the loss, a gradient or a weight."""

    phase: str  # data, weights, forward pass, loss, backward pass, update, generation
    operation: str  # as torch calls it: log, div, _softmax
    cause: str  # see instruments.causes
    module: str = ""  # the innermost one that was running; the parameter's or the batch's name for what is not computed
    kind: str = ""
    call: int = 1
    line: str = ""  # file:line of the code that called the operation, in the forward pass where there is one
    values: tuple[TensorSummary, ...] = ()  # what went in and what came out
    visits: tuple[ModuleVisit, ...] = ()  # the last modules before it
    observed_in: str = "loss"  # where the bad value was seen: loss, the gradient of X, the weight X
    precision: str = "fp32"
    batch: int | None = None  # its number in a scan
    rows: tuple[int, ...] = ()  # the smallest set of the batch's rows that still fails
    files: tuple[str, ...] = ()  # their names, where they are known
    reproducible: bool = True  # False: some replays were finite
    exploded: ExplodedWeight | None = None  # where weights are far larger than any training leaves them
    finding: Finding | None = None  # the verdict on it, once a probe has judged

    @property
    def where(self) -> str:
        call = f", call {self.call}" if self.call > 1 else ""
        return f"{self.module} ({self.kind}{call})" if self.kind else self.module or self.line or "compute_loss"


@dataclass(frozen=True)
class BisectResult:
    """What a search found: None where the step is finite from end to end."""

    origin: Origin | None = None
    batch: int = 0

    def with_cause(self, cause: str) -> tuple[Origin, ...]:
        """The origin, where this is its cause; () otherwise."""
        return (self.origin,) if self.origin is not None and self.origin.cause == cause else ()

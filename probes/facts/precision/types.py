"""Types for 16-bit precision: value ranges, headroom, underflow, and the loss in each precision."""

from dataclasses import dataclass
from math import inf, log2
from typing import Any

from diagnose import Finding
from probes.facts.nonfinite.types import Origin
from probes.facts.precision.format_types import FloatFormat, OpRange

FORWARD, BACKWARD, CONSTANT, WEIGHTS = "forward pass", "backward pass", "constant", "weights"


FORMATS = {
    "fp16": FloatFormat("float16", 65504.0, 65520.0, -25, 11),
    "bf16": FloatFormat("bfloat16", 3.3895314e38, 3.3961775e38, -134, 8),
}


@dataclass(frozen=True)
class FirstOverflow:
    """The first operation whose 16-bit result would not be finite though what goes in is."""

    module: str
    kind: str
    call: int
    operation: str
    phase: str = FORWARD
    largest: float = 0.0
    line: str = ""

    @property
    def where(self) -> str:
        call = f", call {self.call}" if self.call > 1 else ""
        return f"{self.module} ({self.kind}{call})" if self.kind else self.module or "compute_loss"


@dataclass(frozen=True)
class Headroom:
    """How near one module's results come to the end of a format."""

    module: str
    kind: str
    operation: str
    largest: float
    limit: float

    @property
    def bits(self) -> float:
        """Doublings left; below zero it overflows."""
        return log2(self.limit / self.largest) if self.largest else inf


@dataclass(frozen=True)
class GradientUnderflow:
    """The 16-bit gradients of one module at a loss scale."""

    module: str
    kind: str
    elements: int  # those that are not zero in float32
    vanished: int
    burst: int
    largest: float
    trains: bool = True  # the module holds parameters

    @property
    def lost(self) -> float:
        return self.vanished / max(self.elements, 1)


@dataclass(frozen=True)
class LossScale:
    """The loss scale: where it begins, and where it comes to rest once nothing overflows."""

    start: float
    settled: float
    moves: bool  # falls by itself when gradients overflow
    from_run: bool  # read from the run's own scaler


@dataclass(frozen=True)
class PrecisionRun:
    """One precision, tried on the first batch."""

    name: str
    precision: str
    rules: str  # none, pure, cpu, gpu: which list of operations is lowered
    loss: float | None = None
    finite: bool = True  # loss and gradients
    error: str = ""  # why it cannot be run here
    fp32_fallback_ops: tuple[str, ...] = ()  # operations without a half kernel here, computed in float32
    origin: Origin | None = None
    predicted: FirstOverflow | None = None  # of a step that is not finite, from the ranges in float32
    out_of_range: tuple[str, ...] = ()  # modules with a result that the format cannot hold, in the order of the pass
    headroom: tuple[Headroom, ...] = ()  # least first
    gradients: tuple[GradientUnderflow, ...] = ()  # most lost first
    gradient_overflow: FirstOverflow | None = None  # the first gradient out of range, at a loss scale that is fixed
    collided: tuple[OpRange, ...] = ()
    fp32_modules: tuple[str, ...] | None = None  # modules that must stay in float32; None where that does not help

    @property
    def usable(self) -> bool:
        return self.finite and self.loss is not None


@dataclass(frozen=True)
class PrecisionComparison:
    """The comparison. The first run is float32."""

    target: str  # what the run is to be trained in
    runs: tuple[PrecisionRun, ...]
    scale: LossScale | None = None
    rounding_noise: float = 0.0  # how far rounding alone moved the loss, root of the mean square
    code: str = ""  # for pasting: what keeps the modules in float32
    findings: tuple[Finding, ...] = ()  # the verdict, once probes have judged

    @property
    def reference(self) -> PrecisionRun:
        return self.runs[0]

    def figure(self) -> dict[str, Any]:
        """For the report: the largest result of each module beside what the format holds, in the run's precision."""
        runs = [run for run in self.runs if run.headroom]
        rows = runs[0].headroom if runs else ()
        fields = ("module", "operation", "largest", "limit")
        return {"precision": self.target, "rows": [{field: getattr(row, field) for field in fields} for row in rows]}

    def difference(self, run: PrecisionRun) -> float | None:
        """Relative, to the loss in float32."""
        if run.loss is None or self.reference.loss is None:
            return None
        return abs(run.loss - self.reference.loss) / max(abs(self.reference.loss), 1e-12)

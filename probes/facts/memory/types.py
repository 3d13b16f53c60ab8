"""Types of a memory prediction, all in bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KINDS = ("weights", "gradients", "optimizer state", "16-bit copies of weights", "activations", "temporary", "batch")
ERROR = 0.10  # of a prediction, at the most, in `make bench WHAT=memory`
STEP, EVALUATION, GENERATION, CHECKPOINT = "training step", "evaluation", "generation", "checkpoint"


@dataclass
class Allocation:
    """One storage. `end` is None while it lives; both ends are numbers of operations."""

    bytes: int
    kind: str
    module: str
    start: int
    end: int | None = None


@dataclass(frozen=True)
class StepOptions:
    """How a step is taken. `gpu`: by the rules of a GPU (autocast, attention, dropout, blocks of 512 bytes)."""

    precision: str = "fp32"
    gpu: bool = False
    accumulates: bool = False  # gradients of earlier batches are there
    checkpointing: bool = False
    freeze_encoder: bool = False
    outputs_to_fp32: bool = False  # as accelerate returns them under autocast


@dataclass(frozen=True)
class ModuleMemory:
    """What one module holds at the peak of the step."""

    name: str
    weights: int
    gradients: int
    optimizer: int
    activations: int  # with all that lives only within the step

    @property
    def total(self) -> int:
        return self.weights + self.gradients + self.optimizer + self.activations


@dataclass(frozen=True)
class StepMemory:
    """One step on one batch. `kinds`: at the peak, of whose phase the name is in `peak_phase`."""

    batch: str
    peak: int
    peak_phase: str
    kinds: Mapping[str, int]
    modules: tuple[ModuleMemory, ...]
    timeline: Mapping[str, tuple[int, ...]]  # by kind, at up to 200 moments
    phase_starts: Mapping[str, float]  # shares of the timeline
    flops: float
    saved_for_backward: int  # activations that live when the forward pass ends

    @property
    def persistent(self) -> int:
        """What lives between two steps."""
        return self.kinds.get("weights", 0) + self.kinds.get("optimizer state", 0)


@dataclass(frozen=True)
class MemoryLimit:
    """The memory of the device, and where the figure comes from. `overhead`: what is there before any tensor."""

    name: str
    bytes: int
    gpu: bool
    overhead: int = 0

    @property
    def usable(self) -> int:
        """What a predicted peak may be: the rest is taken already, or is the error of the prediction."""
        return int((self.bytes - self.overhead) / (1 + ERROR))

    @property
    def overhead_of(self) -> str:
        return "CUDA and its libraries" if self.gpu else "Python and its packages"


@dataclass(frozen=True)
class MemoryPrediction:
    """The run's peak, by phase, on the longest batch; and single steps on other batches."""

    step: StepMemory
    phases: Mapping[str, int]
    options: StepOptions
    other_batches: tuple[StepMemory, ...] = ()
    remarks: tuple[str, ...] = ()  # what was assumed or left out
    allocator: int | None = None  # the peak that the GPU's own allocator counted; None without a GPU

    @property
    def peak(self) -> int:
        return max(self.phases.values())

    @property
    def peak_phase(self) -> str:
        return max(self.phases, key=lambda phase: self.phases[phase])


@dataclass(frozen=True)
class MemoryChange:
    """One change of the settings, the peak with it, and the time of an update with it over the present one."""

    setting: str
    peak: int
    time: float
    cost: str = ""
    fits: bool = False


@dataclass(frozen=True)
class MemoryPlan:
    """The prediction next to the device, and what would lower the peak: cheapest of those that fit first."""

    prediction: MemoryPrediction
    limit: MemoryLimit
    changes: tuple[MemoryChange, ...] = ()
    together: MemoryChange | None = None  # several changes, where no single one is enough

    def figure(self) -> dict[str, Any]:
        """For the report: one step by kind, next to the device."""
        step = self.prediction.step
        return {
            "timeline": {kind: list(values) for kind, values in step.timeline.items()},
            "phases": dict(step.phase_starts),
            "kinds": dict(step.kinds),
            "peaks": dict(self.prediction.phases),
            "peak": step.peak,
            "peak_phase": step.peak_phase,
            "batch": step.batch,
            "device": self.limit.name,
            "memory": self.limit.bytes,
        }

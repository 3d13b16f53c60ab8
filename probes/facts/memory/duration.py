"""How long a run takes: its FLOPs, over the speed of a stated device or of a measured step."""

from collections.abc import Sequence

from probes.facts.memory.duration_types import DurationEstimate
from probes.facts.memory.limits import gpu_named
from probes.facts.memory.types import StepMemory, StepOptions
from probes.facts.settings.types import UpdateCount

# The share of a GPU's peak that training reaches: reported for large transformers up to a half, for small batches and
# short sequences a twentieth and less.
SHARES = (0.05, 0.5)
MACHINE_SHARES = (0.1, 1.0)  # a CPU: small products and what is no product take most of the time


def run_flops(steps: Sequence[StepMemory], updates: UpdateCount, accumulation: int) -> tuple[float, float]:
    """Of all updates: were all batches as the cheapest of these, and as the most expensive."""
    each = [step.flops * accumulation * updates.updates for step in steps]
    return min(each), max(each)


def on_device(flops: tuple[float, float], options: StepOptions, device: str) -> DurationEstimate:
    gpu = gpu_named(device)
    speed = 1e12 * (gpu.fp32 if options.precision == "fp32" else gpu.half)
    source = f"{device} at {SHARES[0]:.0%} to {SHARES[1]:.0%} of {speed / 1e12:g} TFLOPS"
    return DurationEstimate(flops, flops[0] / speed / SHARES[1], flops[1] / speed / SHARES[0], source)


def from_step(flops: tuple[float, float], seconds: float, step_flops: float) -> DurationEstimate:
    """From one real step on this machine, which a busy machine may take twice as long for."""
    speed = step_flops / max(seconds, 1e-9)
    return DurationEstimate(flops, 0.5 * flops[0] / speed, 2 * flops[1] / speed, f"a step here took {seconds:.2f} s")


def at_speed(flops: tuple[float, float], speed: float) -> DurationEstimate:
    """On this machine, at a share of the speed of its matrix products."""
    source = f"this machine at {MACHINE_SHARES[0]:.0%} to {MACHINE_SHARES[1]:.0%} of {speed / 1e9:.0f} GFLOPS"
    return DurationEstimate(flops, flops[0] / speed / MACHINE_SHARES[1], flops[1] / speed / MACHINE_SHARES[0], source)

"""How long the updates of a run will take, from a few measured steps. Only told: no verdict depends on the clock."""

from collections.abc import Iterable
from typing import Any

from probes.facts.core.step_setup import StepSetup
from probes.facts.first_step.first_step import take_first_step
from probes.facts.first_step.types import FirstStep, RunDuration


def measure_duration(
    setup: StepSetup, first: FirstStep, batches: Iterable[Any], updates: int, accumulation: int
) -> RunDuration:
    """Steps of other batches beside the first one, which was measured already."""
    steps = [first, *(take_first_step(setup, batch) for batch in batches)]
    seconds = [step.forward_seconds + step.backward_seconds for step in steps if step.failure is None]
    return RunDuration(updates, accumulation, tuple(seconds))

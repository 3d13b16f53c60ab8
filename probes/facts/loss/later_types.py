"""Types for batches beyond the first that were run."""

from dataclasses import dataclass

from probes.facts.batches.types import BadValues
from probes.facts.loss.types import ExtremeBatchResult


@dataclass(frozen=True)
class LaterBatch:
    """A batch beyond the first that was run, why this one, and its values that are not finite."""

    result: ExtremeBatchResult
    why: str
    bad: tuple[BadValues, ...] = ()

"""Types for a model that was saved at step 0 and loaded again."""

from dataclasses import dataclass

from probes.facts.core.types import Failure


@dataclass(frozen=True)
class SavedModel:
    """The differences after loading. `way`: how it was saved."""

    way: str
    missing: tuple[str, ...] = ()  # tensors of the model that are not in the file and that no tie gives back
    unexpected: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()  # tensors that came back with other values
    change: float | None = None  # of the scores, in units of their spread; None: they could not be compared
    failure: Failure | None = None
    phase: str = ""  # saving, loading
    settings: tuple[str, ...] = ()  # generation settings that came back as something else

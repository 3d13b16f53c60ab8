"""Of the learning rate over the whole run."""

from dataclasses import dataclass


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
    still: float = 0.0  # share of the updates with less than a thousandth of the peak
    rises: int = 0  # how often the rate begins to rise again after it fell
    moves: bool = True
    rises_to_the_end: bool = False
    warmup: int | None = None
    length: int | None = None  # steps that the schedule was made for
    pace: int | None = 1  # its steps for each update; None: nobody shows who steps it
    raised: str = ""
    raised_at: int = 0

    @property
    def told(self) -> str:
        """Peak and end, for every message."""
        return f"peak {self.peak:.3g} at update {self.peak_at:,}, end {self.end:.3g}"

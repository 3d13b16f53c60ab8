"""Types for the passes that show the traits of a run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TraitTrials:
    """Losses of some rows in evaluation mode: again, with other random numbers, and in two parts."""

    rows: int
    loss: float
    same_seed: float
    other_seed: float
    parts: tuple[float, float] | None = None
    shares: tuple[float, ...] = ()  # of the first part: by rows, by labels, by elements that the masks keep
    interaction: float | None = None  # change with both halves' inputs exchanged, less the changes of each, by the less
    cannot_split: str = ""
    label_agreement: float | None = None  # share of scored positions whose label is the class that the loss pushes up
    ctc_calls: int = 0
    labels: str = ""  # what the labels are: "none", "float", "integer"

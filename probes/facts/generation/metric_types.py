"""Types for the metric function, tried on predictions of known quality."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from probes.facts.core.types import Failure

Figures = Mapping[str, float]


@dataclass(frozen=True)
class MetricTrial:
    """Figures for predictions that are the labels themselves, for those of other rows, and for the bare words."""

    form: str  # of the predictions: ids, logits, classes, texts
    rows: int
    perfect: Figures = field(default_factory=dict)  # with labels padded with -100 and wider predictions, as gathered
    clean: Figures = field(default_factory=dict)  # the same without any -100
    swapped: Figures = field(default_factory=dict)
    stripped: Figures = field(default_factory=dict)  # lower case, no punctuation; empty where the texts have neither
    example: tuple[str, str] = ("", "")  # a text and its bare words
    failure: Failure | None = None  # what it raised on the gathered batch
    bare: bool = False  # it raised though there was no -100 in it

    def lost(self, name: str) -> float | None:
        """The fraction of the range from perfect to swapped that bare words lose; None: there is no range."""
        ends = self.perfect.get(name), self.swapped.get(name), self.stripped.get(name)
        if None in ends or ends[0] == ends[1]:
            return None
        perfect, swapped, stripped = (float(end or 0.0) for end in ends)
        return (perfect - stripped) / (perfect - swapped)

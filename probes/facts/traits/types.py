"""Types for the passes that show the traits of a run."""

from dataclasses import dataclass

CLOSE = 1e-4  # of a loss: float32 over other row counts and paddings; two seeds of a random pass differ by far more


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

    def close(self, one: float, other: float) -> bool:
        """Whether two losses of these rows are the same but for rounding."""
        return abs(one - other) <= CLOSE * max(abs(self.loss), abs(one), abs(other), 1e-6)

    @property
    def adds_up(self) -> bool:
        """The loss of all rows is the sum of the parts' losses, or their mean by one of the shares."""
        if self.parts is None:
            return False
        first, second = self.parts
        combined = [first + second, *(share * first + (1 - share) * second for share in self.shares)]
        return any(self.close(value, self.loss) for value in combined)

    @property
    def is_additive(self) -> bool:
        """Other inputs in one half change the loss by the same amount, whatever the inputs of the other half are.

        So the means of a joint loss over rows and over tokens are recognised too; a hundredth is rounding.
        """
        return self.interaction is not None and self.interaction < 0.01

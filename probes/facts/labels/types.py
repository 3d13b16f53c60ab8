"""Types for labels: rows, CTC targets, EOS tokens, and their shift against decoder inputs and loss."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LabelRow:
    """One row of the labels. `padding`: positions at its end without text; `scored`: positions the loss looks at."""

    where: str
    batch: int
    length: int
    scored: int
    padding: int = 0
    scored_padding: int = 0
    padding_token: int | None = None
    first: int | None = None  # the first and last scored id
    last: int | None = None
    ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class CtcRow:
    """One target that the CTC loss was given: it fits where symbols and repeats together are no more than frames."""

    where: str
    symbols: int
    repeats: int  # neighbours that are equal: each needs a blank between
    frames: int
    blank: int = 0
    blanks: int = 0  # symbols of the target that are the blank itself
    last: int = -1  # the symbol it ends with
    tail: int = 1  # how often that one stands at the end
    full: bool = False  # as long as the batch of targets is wide

    @property
    def needed(self) -> int:
        return self.symbols + self.repeats


@dataclass(frozen=True)
class EndTokens:
    """Rows of labels without an end token, of so many. `cut`: as long as the longest of all, so perhaps truncated."""

    rows: int
    without: tuple[LabelRow, ...] = ()
    cut: tuple[LabelRow, ...] = ()  # not among `without`
    masked: bool = False  # no row ends, and each has a -100 where its end would stand
    token: int | None = None

    @property
    def all(self) -> bool:
        return len(self.without) == self.rows


@dataclass(frozen=True)
class EvalForward:
    """Forward passes in evaluation mode over the drawn batches, without gradients."""

    loss: float | None = None  # of the first batch
    decoder_inputs: tuple[tuple[int, ...], ...] = ()  # ids that the decoder's embedding read, rows of the first batch
    follows: int | None = None  # where the scores change first when one label is changed, counted from that label
    ctc: tuple[CtcRow, ...] = ()
    failure: str = ""


@dataclass(frozen=True)
class LabelShift:
    """How the first batch's labels stand to what the decoder reads and to what the loss scores."""

    first: tuple[int, ...] = ()  # what each row's decoder reads first
    input_shift: int | None = None  # at position t the decoder reads label t - seen
    target_shift: int | None = None  # at position t the loss scores label t + scored
    follows: int | None = None  # how far behind a label the scores follow it

    @property
    def label_offset(self) -> int | None:
        """Labels from the decoder's input to its target: 1 is the next one."""
        return None if self.input_shift is None or self.target_shift is None else self.input_shift + self.target_shift


@dataclass(frozen=True)
class SourceLabelPair:
    """The labels of one row, compared with the input ids of the encoder."""

    where: str
    tokens: int
    equal: bool  # padding, end and start aside


@dataclass(frozen=True)
class LabelCoverage:
    """How many positions of each row the loss scores, of those that are text and those that are padding."""

    rows: tuple[tuple[str, int, int, int], ...]  # where, positions, scored, padding

    def figure(self) -> dict[str, Any]:
        """For the report: every row of the drawn batches."""
        return {"rows": self.rows}

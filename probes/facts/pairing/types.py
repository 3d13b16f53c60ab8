"""Types for tests whether targets fit their own inputs better than those of other rows."""

from dataclasses import dataclass

from probes.facts.corpus.types import CorpusRow


@dataclass(frozen=True)
class LabelColumns:
    """Columns of the inputs that hold the label: one value for each class, or the number itself, scaled and moved."""

    columns: tuple[int, ...]
    width: int  # columns that vary
    rows: int
    classes: int = 0  # 0: the label is a number


@dataclass(frozen=True)
class SharedTokens:
    """Rare tokens of the targets that their inputs hold, too: in own pairs, and in pairs of different rows."""

    own: float
    swapped: float  # the mean over permutations
    deviation: float  # of the permutations
    tokens: int


@dataclass(frozen=True)
class PairTest:
    """A permutation test on held-out rows: targets predicted from inputs, own ones against swapped ones."""

    where: str
    rows: int
    p_value: float  # share of permutations that fit as well
    z_score: float  # by which the own targets fit better than swapped ones, in deviations of the permutations
    shift: int = 0  # rows by which the targets must be moved to fit best
    shifted: float = 0.0  # the z-score then
    whole: bool = True  # False: a range of rows, one of several
    is_speech: bool = False  # frames or samples in, several tokens out
    lengths: float | None = None  # rank correlation of the lengths of inputs and targets, where both vary
    kind: str = ""  # tags: one class for each token; texts: tokens in, a rich vocabulary out
    power: float | None = None  # the share of the targets that a relation must decide to be seen; where none was
    shared: SharedTokens | None = None  # texts in and out; where no relation was seen


@dataclass(frozen=True)
class PairTests:
    """For each kind of target: all rows that were read, and each stretch of them; the evaluation set for comparison."""

    train: tuple[PairTest, ...]
    evaluation: tuple[PairTest, ...] = ()
    batches: tuple[PairTest, ...] = ()  # all rows as the batches hold them, where the items go with their targets
    rows: int = 0
    seconds: float = 0.0
    consumed: str = ""


@dataclass(frozen=True)
class RowMatches:
    """The rows of labels fit the inputs of different rows best, far more of them than by chance."""

    by: str  # what was compared
    batches: int
    rows: int
    moved: int  # rows of labels that fit the input of another row
    chance: float  # that rows without any relation choose so many different ones
    example: tuple[int, int, int] | None = None  # batch, row of labels, row of the input that they fit
    share: float | None = None  # of the labels that are in their input, where they fit no row of the batch


@dataclass(frozen=True)
class SwappedTargetLoss:
    """The model's own loss on held-out batches: with targets as they are, and with targets swapped between rows."""

    batches: int
    rows: int
    updates: int  # 0: before any training
    own: float
    swapped: float  # the mean over the ways to swap
    p_value: float  # by permutation of the ways to swap, in each batch on its own
    before: float  # `own` before the training
    before_chance: float
    seconds: float
    least_chance: float = 1.0  # that could have been shown
    trained_rows: int = 0  # different ones
    learnt: float = 0.0  # by how much swapped targets raise the loss of rows that were trained on
    carried: float = 0.0  # the same for held-out rows: all that carries over, with three standard errors added


@dataclass(frozen=True)
class ManifestPairTest:
    """How closely two sides of the same rows go together, against shuffled rows (a permutation test)."""

    left: str
    right: str
    by: str  # length: long ones go with long ones; words: a text uses the words of its own document
    first: CorpusRow
    last: CorpusRow
    rows: int
    correlation: float  # of ranks; by words: how much more is shared with the own document than with another
    p_value: float  # share of shuffles that fit as well
    others: float | None = None  # the usual correlation in other stretches of the manifest; None: these are all rows
    shift: int = 0  # rows by which the right side must be moved to fit best; 0: no shift helps
    shifted: float = 0.0  # the correlation then
    shared: SharedTokens | None = None  # by words

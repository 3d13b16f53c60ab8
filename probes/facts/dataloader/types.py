"""Types for the DataLoader: the order of its rows, and the random draws of its workers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RowOrder:
    """The order of the rows in two epochs."""

    sampler: str
    rows: int
    batches: int
    first: tuple[int, ...]  # the first rows of the first epoch
    in_turn: bool  # the first epoch takes them as they stand in the dataset
    repeated: bool  # the second epoch takes them as the first did
    waits: bool = False  # so it does, unless set_epoch is called
    set_epoch_is_called: bool | None = None  # by the code that asked; None: not known


@dataclass(frozen=True)
class WorkerDraws:
    """The same rows, drawn again and again by the loader's workers. Only what differs between draws is random."""

    workers: int
    draws: int  # of each worker in each epoch
    distinct: int  # different ones among the draws of one worker
    workers_agree: int | None  # draws that two workers have in common; None: there is one worker
    epochs_agree: int  # draws of one worker that the second epoch repeats

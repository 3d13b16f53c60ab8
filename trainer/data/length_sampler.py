"""Batches of rows of similar length, so that they have little padding, in another order every epoch.

Every length is first multiplied by a random factor of up to 1 + JITTER, the rows are sorted by that, and cut into
batches; then the batches are shuffled. Rows whose lengths differ by less than the jitter may meet in any batch.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

JITTER = 0.1  # costs about half of itself in padding, and mixes each row with all those up to 10 % longer or shorter


class LengthBatchSampler:
    """A `batch_sampler` for a DataLoader: each row once an epoch; seed and epoch determine the batches.

    - `shuffle=False` keeps the order of the manifest, `by_length=False` mixes all rows whatever their length.
    - `longest_first=True` begins the first epoch with the batch of most padded length: if the memory does not
      suffice, that is seen in step 1. Off by default.
    - A batch that is not full is always the last one: accelerate's sharding loses rows after a short batch in the
      middle. No row is dropped here; on several processes accelerate repeats some rows to make the shares even.
    - It keeps no state but the epoch and no global random state is touched, so skipping the first batches of an
      epoch (accelerate's skip_first_batches) gives exactly the rest of it.
    """

    drop_last = False

    def __init__(
        self,
        lengths: Sequence[float],
        batch_size: int,
        seed: int = 42,
        shuffle: bool = True,
        by_length: bool = True,
        longest_first: bool = False,
        on_epoch: Callable[[int], None] | None = None,
    ) -> None:
        self.lengths = np.asarray(lengths, dtype=np.float64)
        self.batch_size, self.seed, self.epoch = batch_size, seed, 0
        self.shuffle, self.by_length, self.longest_first = shuffle, by_length, longest_first
        self.on_epoch = on_epoch

    def set_epoch(self, epoch: int) -> None:
        """Another order. `on_epoch` is called here, as of nested samplers the Trainer may reach this one alone."""
        self.epoch = epoch
        if self.on_epoch is not None:
            self.on_epoch(epoch)

    def __len__(self) -> int:
        return -(-len(self.lengths) // self.batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        rows, rest = len(self.lengths), len(self.lengths) % self.batch_size
        if not self.shuffle:
            return iter(self._cut(np.arange(rows), rows - rest))
        rng = np.random.default_rng((self.seed, self.epoch))
        order = self._order(rng)
        # The batch that is not full takes its rows from anywhere, not always from the longest.
        batches = self._cut(order, int(rng.integers(rows // self.batch_size + 1)) * self.batch_size)
        return iter(self._shuffled(batches, rng))

    def _order(self, rng: np.random.Generator) -> np.ndarray:
        ties = rng.random(len(self.lengths))
        if not self.by_length:
            return np.argsort(ties)
        jittered = self.lengths * (1 + JITTER * rng.random(len(self.lengths)))
        return np.lexsort((ties, jittered))

    def _cut(self, order: np.ndarray, start: int) -> list[list[int]]:
        """Full batches, and last the rows from `start` on that fill none."""
        rest = len(order) % self.batch_size
        full = np.concatenate((order[:start], order[start + rest :])).reshape(-1, self.batch_size).tolist()
        return [*full, order[start : start + rest].tolist()] if rest else full

    def _shuffled(self, batches: list[list[int]], rng: np.random.Generator) -> list[list[int]]:
        full = len(self.lengths) // self.batch_size
        order = rng.permutation(full).tolist()
        if self.longest_first and self.epoch == 0 and full:
            longest = max(order, key=lambda index: self.lengths[batches[index]].max())
            order = [longest, *(index for index in order if index != longest)]
        return [*(batches[index] for index in order), *batches[full:]]


def padding_waste(lengths: Sequence[float], batches: Iterable[Sequence[int]]) -> float:
    """The fraction of padding among all frames that are computed.

    A batch costs the length of its longest row times its rows; what the rows do not fill is padding. The sum of the
    padding of all batches over the sum of their cost: 0 is none, 0.1 means that every tenth frame is padding.
    """
    cost = filled = 0.0
    for batch in batches:
        own = [lengths[index] for index in batch]
        cost += max(own) * len(own)
        filled += sum(own)
    return float(1 - filled / cost) if cost else 0.0

"""The model's own loss with targets swapped between rows: before any training, and on held-out batches after some."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import rows_of_batch
from probes.facts.core.batches import copy_batch
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.pairing.short_training import ShortTraining, updates_within
from probes.facts.pairing.swap_targets import ways_to_swap
from probes.facts.pairing.types import SwappedTargetLoss

HELD, BATCHES = 10, 40  # batches that are kept out; drawn in all
ROUNDS = 6  # looks while it trains
WAYS, MOST = 4, 32  # to deal out targets: more where few batches are held out
SHOWN = 1e-3  # a chance below which right pairs are seen to be better
SIGMAS = 3.0  # added to what carries over to held-out rows: one-sided 1e-3
PERMUTATIONS = 10_000


def compare(setup: StepSetup, batches: Sequence[Any]) -> SwappedTargetLoss:
    """Stops as soon as right pairs are seen to be better."""
    labels_of = setup.labels_of
    start, held = time.perf_counter(), max(1, min(HELD, len(batches) // 3))
    ways = min(MOST, max(WAYS, math.ceil(SHOWN ** (-1 / held) - 1e-9)))
    swaps = [ways_to_swap(batch, labels_of, ways) for batch in batches[:held]]
    least = 1 / math.prod(map(len, swaps))
    if least > 0.25 or len(batches) < 2:
        raise NotApplicable("the batches have too few rows to swap targets")
    seen = [ways_to_swap(batch, labels_of, WAYS) for batch in batches[held : 2 * held]]
    with restore_afterwards(setup.model, setup.optimizer, others=setup.also_restore):
        trial, known = SwapTrial(setup, swaps), SwapTrial(setup, seen)
        before = now = trial.losses()
        training = ShortTraining(setup, batches[held:])
        most = updates_within(setup.model, batches[0])
        while now.p_value > SHOWN and training.updates < most and training.trains(most // ROUNDS):
            now = trial.losses()
        learnt = known.losses()
    rows = [rows_of_batch(batch, labels_or_none(labels_of, batch)) for batch in batches]
    found = (training.updates, now.own, now.swapped, now.p_value, before.own, before.p_value)
    more = (least, sum(rows[held:]), learnt.swapped - learnt.own, now.swapped - now.own + SIGMAS * now.error)
    return SwappedTargetLoss(held, sum(rows[:held]), *found, time.perf_counter() - start, *more)


@dataclass(frozen=True)
class SwapLosses:
    """Means over the batches. `error`: the standard error of what swapping costs."""

    own: float
    swapped: float
    p_value: float
    error: float


class SwapTrial:
    """Batches, each with its targets as they are and swapped."""

    def __init__(self, setup: StepSetup, swaps: Sequence[Sequence[Any]]) -> None:
        self.model, self.swaps, self.compute = setup.model, swaps, setup.compute_loss

    def losses(self) -> SwapLosses:
        """In evaluation mode; a way to swap that has no finite loss is the worst there is."""
        self.model.eval()
        with torch.no_grad():
            tables = [np.array([self._loss(batch) for batch in ways]) for ways in self.swaps]
        finite = np.concatenate(tables)[np.isfinite(np.concatenate(tables))]
        tables = [np.where(np.isfinite(table), table, finite.max(initial=0.0)) for table in tables]
        costs = np.array([table[1:].mean() - table[0] for table in tables])
        if not costs.any():
            raise NotApplicable("the loss is the same with the targets of other rows")
        rng = np.random.default_rng(0)
        dealt = np.sum([table[rng.integers(0, len(table), PERMUTATIONS)] for table in tables], axis=0)
        own = sum(float(table[0]) for table in tables)
        share = (1 + int((dealt <= own + 1e-9 * abs(own)).sum())) / (1 + PERMUTATIONS)
        mean = own / len(tables)
        return SwapLosses(mean, mean + float(costs.mean()), share, _error(costs))

    def _loss(self, batch: Any) -> float:
        pass_counter.count_passes(pass_counter.FORWARD)
        return float(self.compute(self.model, copy_batch(batch)))


def _error(costs: np.ndarray) -> float:
    """The standard error of the mean; of one batch it is not known."""
    return float(costs.std(ddof=1)) / len(costs) ** 0.5 if len(costs) > 1 else math.inf

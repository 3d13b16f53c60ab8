"""The model's own loss with targets swapped between rows: before any training, and on held-out batches after some."""

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
from probes.facts.core.model_parts import as_in_training, trainable
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.optimizers import adamw
from probes.facts.core.step_setup import StepSetup
from probes.facts.first_step.types import FirstStep
from probes.facts.learning_rate.rate_updates import RateStepper
from probes.facts.pairing.swap_targets import WAYS, ways_to_swap
from probes.facts.pairing.types import SwappedTargetLoss

HELD, BATCHES = 6, 30  # batches that are kept out; drawn in all
UPDATES, ROUNDS = 60, 3  # the demo shows its pairs after 20; compared after every third of them
WARM = 10  # updates in which the rate rises
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
SHOWN = 2e-3  # what 4 ways in five batches can show
PERMUTATIONS = 10_000


def seconds_for(first_step: FirstStep) -> float:
    """What `compare` will take at most, by the first step's own time."""
    forward = first_step.forward_seconds
    return UPDATES * (forward + first_step.backward_seconds) + ((ROUNDS + 1) * HELD * WAYS + 2 * len(RATES)) * forward


def compare(setup: StepSetup, batches: Sequence[Any]) -> SwappedTargetLoss:
    """Stops as soon as right pairs are seen to be better."""
    labels_of = setup.labels_of
    start, held = time.perf_counter(), max(1, min(HELD, len(batches) // 3))
    swaps = [ways_to_swap(batch, labels_of) for batch in batches[:held]]
    if sum(map(len, swaps)) < 4 * held or len(batches) < 2:
        raise NotApplicable("the batches hold too few rows to exchange targets between them")
    with restore_afterwards(setup.model, setup.optimizer, others=setup.also_restore):
        trial = _SwapTrial(setup, swaps)
        before = now = trial.losses()
        training = _ShortTraining(setup, batches[held:])
        while not now.shown and training.updates < UPDATES and training.trains(UPDATES // ROUNDS):
            now = trial.losses()
    rows = sum(rows_of_batch(batch, labels_of(batch)) for batch in batches[:held])
    found = (training.updates, now.own, now.swapped, now.p_value, before.own, before.p_value)
    return SwappedTargetLoss(held, rows, *found, time.perf_counter() - start)


@dataclass(frozen=True)
class _SwapLosses:
    own: float
    swapped: float
    p_value: float

    @property
    def shown(self) -> bool:
        return self.p_value <= SHOWN


class _SwapTrial:
    def __init__(self, setup: StepSetup, swaps: Sequence[Sequence[Any]]) -> None:
        self.model, self.swaps, self.compute = setup.model, swaps, setup.compute_loss

    def losses(self) -> _SwapLosses:
        """In evaluation mode; a way to swap that has no finite loss is the worst there is."""
        self.model.eval()
        with torch.no_grad():
            table = np.array([[self._loss(batch) for batch in ways] for ways in self.swaps])
        table = np.where(np.isfinite(table), table, np.nanmax(np.where(np.isfinite(table), table, np.nan)))
        p_value = np.random.default_rng(0).integers(0, table.shape[1], (PERMUTATIONS, len(table)))
        dealt, own = table[np.arange(len(table)), p_value].sum(1), float(table[:, 0].sum())
        share = (1 + int((dealt <= own + 1e-9 * abs(own)).sum())) / (1 + PERMUTATIONS)
        return _SwapLosses(float(table[:, 0].mean()), float(table[:, 1:].mean()), share)

    def _loss(self, batch: Any) -> float:
        pass_counter.count_passes(pass_counter.FORWARD)
        return float(self.compute(self.model, copy_batch(batch)))


class _ShortTraining:
    """AdamW over what trains, at the rate whose first update lowers the loss of the first batch most."""

    def __init__(self, setup: StepSetup, batches: Sequence[Any]) -> None:
        self.weights = [weight for _, weight in trainable(setup.model)]
        optimizer = adamw(self.weights or [torch.zeros(1)], lr=1.0)
        self.stepper = RateStepper(setup.model, batches, setup.compute_loss, optimizer)
        self.updates = 0
        self.rate = self._best_rate() if self.weights else None

    def _best_rate(self) -> float | None:
        self.stepper.model.eval()
        first = self.stepper.batches[:1]
        found = {0.0: self.stepper.loss(first)}
        for rate in RATES:
            self.stepper.update(rate)
            found[rate] = self.stepper.loss(first)
            self.stepper.back()
        return min(found, key=lambda rate: found[rate]) or None

    def trains(self, updates: int) -> bool:
        """False where there is no rate that lowers the loss, or the weights are not finite any more."""
        if self.rate is None:
            return False
        as_in_training(self.stepper.model)
        for _ in range(updates):
            self.updates += 1
            self.stepper.update(self.rate * min(1.0, self.updates / WARM))
        return self.stepper.sound()

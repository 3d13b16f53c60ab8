"""A short training by an AdamW of our own, for as many updates as a fixed amount of work allows."""

from collections.abc import Sequence
from typing import Any

import torch

from probes.facts.core.batch_rows import input_of
from probes.facts.core.model_parts import as_in_training, trainable
from probes.facts.core.optimizers import adamw
from probes.facts.core.step_setup import StepSetup
from probes.facts.learning_rate.rate_updates import RateStepper

WARM = 10  # updates in which the rate rises
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
LEAST, MOST = 60, 600  # updates: the demo shows its pairs after 20, a small classifier knows a thousand rows after 600
WORK = 1e11  # multiplications, by six for each weight and each place of the input: on every machine the same


def updates_within(model: torch.nn.Module, batch: Any) -> int:
    """As many updates as the work allows, within LEAST and MOST."""
    read = input_of(batch)
    places = read[1].shape[:2].numel() if read is not None and read[1].dim() > 1 else 1
    return int(min(MOST, max(LEAST, WORK / (6 * max(1, places) * sum(w.numel() for w in model.parameters())))))


class ShortTraining:
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

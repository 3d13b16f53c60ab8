"""Compares the gradient of an accumulated step with that of the same rows in one batch."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batch_rows import CannotSplitBatch, collated, rows_of_batch, select_rows
from probes.facts.core.batches import copy_batch
from probes.facts.core.hooks import removed_afterwards
from probes.facts.core.model_parts import restore_weights
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.snapshot import Snapshot
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.loss.gradient_capture import GradientCapture, Sample, compare_gradients, mean
from probes.facts.loss.types import AccumulationError

Parts = tuple[Any, list[Any], float]

ALIKE = 0.02  # relative: float32 leaves 1e-5; a batch of rows of one length may still be a mean of means

Step = Callable[[Sequence[Any]], Any]


def accumulate(
    setup: StepSetup, step: Step, whole: Any, parts: Sequence[Any], share: float, scheduler: Any
) -> AccumulationError:
    """Two passes of the whole; two more where they differ. `share`: of the configured batch that the whole is."""
    restored = restore_afterwards(setup.model, setup.optimizer, scheduler, setup.grad_scaler, setup.also_restore)
    with restored as before, torch.enable_grad():
        _lock_eval_mode(setup.model)
        trial = _AccumulationTrial(setup, step, before)
        pass_counter.count_passes(2 * share)
        reference = trial.gradient([whole])[0]
        found, updates = trial.accumulated(parts)
        error, ratio, cosine = compare_gradients(found, reference)
        result = AccumulationError(len(parts), error, ratio, cosine, updates=updates)
        if error <= ALIKE:
            return result
        pass_counter.count_passes(share)
        alone = trial.gradient(parts)
        return trial.explained(result, found, alone, parts)


class _AccumulationTrial:
    def __init__(self, setup: StepSetup, step: Step, before: Snapshot) -> None:
        self.model, self.compute, self.optimizer = setup.model, setup.compute_loss, setup.optimizer
        self.step, self.before = step, before

    def gradient(self, batches: Sequence[Any]) -> list[Sample]:
        """Of each batch by itself."""
        found = []
        for batch in batches:
            with GradientCapture(self.model) as capture:
                self.compute(self.model, copy_batch(batch)).backward()
            found.append(capture.samples)
            self._clear()
        return found

    def accumulated(self, batches: Sequence[Any]) -> tuple[Sample, int]:
        """By the run's own step, and how often it stepped the optimiser."""
        steps: list[int] = []
        register = getattr(self.optimizer, "register_step_pre_hook", None)
        hooks = [register(lambda *_: steps.append(1))] if register else []
        with removed_afterwards(hooks), GradientCapture(self.model) as capture:
            self.step([copy_batch(batch) for batch in batches])
        self._clear()
        return capture.samples, len(steps)

    def explained(
        self, result: AccumulationError, found: Sample, alone: list[Sample], parts: Sequence[Any]
    ) -> AccumulationError:
        """Against the mean of the parts' own gradients, against the last of them, and once more with half of them."""
        error, ratio, cosine = compare_gradients(found, mean(alone))
        last = compare_gradients(found, alone[-1])[2]
        result = replace(result, means_error=error, means_ratio=ratio, means_cosine=cosine, last_cosine=last)
        if error <= ALIKE:
            return result
        half = len(parts) // 2
        again, _ = self.accumulated(parts[:half])
        return replace(result, half_ratio=compare_gradients(again, mean(alone[:half]))[1])

    def _clear(self) -> None:
        restore_weights(self.model, self.before)
        for parameter in self.model.parameters():
            parameter.grad = None


def _lock_eval_mode(model: torch.nn.Module) -> None:
    """Evaluation mode that a step cannot leave: dropout would make any two passes differ. Undone by the observer."""
    model.eval()
    for module in model.modules():
        module.__dict__["train"] = lambda mode=True, module=module: module


def split_batch(batch: Any, labels_of: LabelsOf, count: int, dataset: Any = None, collate: Any = None) -> Parts:
    """As few rows as will do, spread over the batch; and their share of it."""
    rows = rows_of_batch(batch, labels_of(batch))
    if rows >= count:
        chosen = [rows * place // count for place in range(count)]
        return select_rows(batch, chosen, rows), [select_rows(batch, [row], rows) for row in chosen], count / rows
    if dataset is None or collate is None or not hasattr(dataset, "__getitem__") or len(dataset) < count:
        raise CannotSplitBatch(
            f"a batch of {rows} rows cannot be split into {count}, and there is no dataset to collate one from"
        )
    chosen = [len(dataset) * place // count for place in range(count)]
    whole, *parts = collated(dataset, [chosen, *([number] for number in chosen)], collate)
    return whole, parts, count / rows

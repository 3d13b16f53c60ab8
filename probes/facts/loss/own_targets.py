"""Whether a loss never reads the labels of its batch because it makes its own targets, as self-supervised ones do."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from probes.facts.core.batches import tensors_of
from probes.facts.core.hooks import FunctionSpy
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import iter_leaves, storage_key

OF_CLASSES = ("cross_entropy", "cross_entropy_loss", "nll_loss", "nll_loss_nd", "ctc_loss")


class TargetSpy(FunctionSpy):
    """Sees whether the labels are read, and how many classes there are where the targets are not the batch's inputs."""

    def __init__(self, batch: Any, labels: Any) -> None:
        super().__init__()
        self._labels = {storage_key(leaf) for leaf in iter_leaves(labels)}
        self._inputs = {storage_key(leaf) for _, leaf in tensors_of(batch)} - self._labels
        self.reads_labels = False
        self.classes: list[int] = []

    def after_call(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        leaves = list(iter_leaves((args, kwargs)))
        self.reads_labels |= any(storage_key(leaf) in self._labels for leaf in leaves)
        if name in OF_CLASSES and len(leaves) > 1 and storage_key(leaves[1]) not in self._inputs:
            self.classes.append(leaves[0].shape[min(1, leaves[0].dim() - 1)])


def makes_own_targets(setup: StepSetup, batches: Sequence[Any]) -> bool:
    """Of a smaller and a larger batch.

    Targets that are inputs, as those of a language model, or places in the batch, as those of a contrastive loss, are
    its own; classes whose number does not grow with the batch want labels.
    """
    fewer, more = _watched(setup, batches)
    return not fewer.reads_labels and all(a < b for a, b in zip(fewer.classes, more.classes, strict=False))


def _watched(setup: StepSetup, batches: Sequence[Any]) -> Iterator[TargetSpy]:
    for batch in batches:
        with torch.no_grad(), TargetSpy(batch, setup.labels_of(batch)) as spy:
            setup.compute_loss(setup.model, batch)
        yield spy

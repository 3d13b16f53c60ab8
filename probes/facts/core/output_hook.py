"""Reads the model's output while a step runs: logits, further losses, and which positions the loss scores."""

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from probes.facts.core.finite import bad_counts
from probes.facts.core.hooks import ModuleHooks
from probes.facts.core.model_output import logits_of, parts_of
from probes.facts.core.types import FirstLoss, LogitStats


class OutputHook(ModuleHooks):
    """A forward hook on the whole model. The last output counts, should forward run more than once."""

    def __init__(self, model: torch.nn.Module, keep_graph: bool = False) -> None:
        super().__init__(model)
        self.keep_graph = keep_graph
        self.logits: torch.Tensor | None = None
        self.live: torch.Tensor | None = None  # the logits with their graph, with keep_graph
        self.parts: dict[str, float] = {}
        self.scored: torch.Tensor | None = None
        self.targets: torch.Tensor | None = None

    def handles(self) -> Iterator[RemovableHandle]:
        yield self.model.register_forward_hook(self.on_output)

    def on_output(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        logits = logits_of(output)
        self.parts = parts_of(output)
        self.logits = None if logits is None else logits.detach()
        self.live = logits if self.keep_graph else None
        if logits is not None and logits.requires_grad:
            logits.register_hook(self.on_gradient)

    def on_gradient(self, gradient: torch.Tensor) -> None:
        """A position whose logits get no gradient at all is one that the loss does not score."""
        self.scored = torch.linalg.vector_norm(gradient, ord=float("inf"), dim=-1) != 0
        # the loss pushes up the class whose gradient is the lowest
        self.targets = gradient.argmin(-1).masked_fill(~self.scored, -100)

    def scored_positions(self, labels: torch.Tensor | None) -> tuple[tuple[bool, ...], ...]:
        """Per row and position; () where logits and labels differ in shape."""
        return _rows_like(self.scored, labels)

    def loss_targets(self, labels: torch.Tensor | None) -> tuple[tuple[int, ...], ...]:
        """Per row and position, the class that the loss pushes up; -100 where it scores none."""
        return _rows_like(self.targets, labels)


def _rows_like(values: torch.Tensor | None, labels: torch.Tensor | None) -> tuple[tuple[Any, ...], ...]:
    if values is None or labels is None or values.dim() != 2 or values.shape != labels.shape:
        return ()
    return tuple(tuple(row) for row in values.tolist())


def first_loss(loss: torch.Tensor, output: OutputHook, labels: torch.Tensor | None) -> FirstLoss:
    """The loss, and what its logits and labels say it should be."""
    scored = None if labels is None or labels.is_floating_point() else int((labels != -100).sum())
    logits = output.logits
    return FirstLoss(
        value=float(loss.detach()),
        parts=output.parts,
        scored_tokens=scored,
        scored_positions=None if output.scored is None else int(output.scored.sum()),
        vocabulary=None if logits is None else logits.shape[-1],
        cross_entropy=plain_cross_entropy(logits, labels),
        logits=None if logits is None else _describe(logits.float()),
        dtype=str(loss.dtype).removeprefix("torch."),
    )


def plain_cross_entropy(logits: torch.Tensor | None, labels: torch.Tensor | None) -> float | None:
    """Mean over the labels that are not -100; None where logits and labels do not fit."""
    if logits is None or labels is None or labels.is_floating_point() or logits.shape[:-1] != labels.shape:
        return None
    scored = labels[labels != -100].to(logits.device)
    if not scored.numel() or int(scored.min()) < 0 or int(scored.max()) >= logits.shape[-1]:
        return None
    return float(torch.nn.functional.cross_entropy(logits[labels != -100].float(), scored))


def _describe(logits: torch.Tensor) -> LogitStats:
    sums = logits.sum(-1)
    nan, infinite = bad_counts(logits)
    return LogitStats(
        shape=tuple(logits.shape),
        minimum=float(logits.min()),
        maximum=float(logits.max()),
        mean=float(logits.mean()),
        std=float(logits.std(correction=0)),
        lowest_sum=float(sums.min()),
        highest_sum=float(sums.max()),
        nan=nan,
        infinite=infinite,
    )

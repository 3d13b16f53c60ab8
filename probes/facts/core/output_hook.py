"""Looks at the model's output while the first step runs: logits, further losses, and which positions the loss feels."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from probes.facts.core.finite import bad_counts
from probes.facts.core.model_output import logits_of, parts_of
from probes.facts.core.types import FirstLoss, LogitStats


class OutputHook:
    """A forward hook on the whole model. The last output counts, should forward run more than once."""

    def __init__(self) -> None:
        self.logits: torch.Tensor | None = None
        self.live: torch.Tensor | None = None  # the logits with their graph, where somebody asked to keep it
        self.keep_graph = False
        self.parts: dict[str, float] = {}
        self.felt: torch.Tensor | None = None
        self.wanted: torch.Tensor | None = None

    def see(self, module: torch.nn.Module, given: Any, output: Any) -> None:
        logits = logits_of(output)
        self.parts = parts_of(output)
        self.logits = None if logits is None else logits.detach()
        self.live = logits if self.keep_graph else None
        if logits is not None and logits.requires_grad:
            logits.register_hook(self._feel)

    def _feel(self, gradient: torch.Tensor) -> None:
        """A position whose logits get no gradient at all is one that the loss does not score."""
        self.felt = torch.linalg.vector_norm(gradient, ord=float("inf"), dim=-1) != 0
        # the one class whose score the loss wants to rise: its gradient is the lowest
        self.wanted = gradient.argmin(-1).masked_fill(~self.felt, -100)

    def positions(self, labels: torch.Tensor | None) -> tuple[tuple[bool, ...], ...]:
        """Per row and position, where the logits stand position by position beside the labels."""
        return _beside(self.felt, labels)

    def asked(self, labels: torch.Tensor | None) -> tuple[tuple[int, ...], ...]:
        """Per row and position, the class that the loss asks for; -100 where it does not look."""
        return _beside(self.wanted, labels)


def _beside(values: torch.Tensor | None, labels: torch.Tensor | None) -> tuple[tuple[Any, ...], ...]:
    if values is None or labels is None or values.dim() != 2 or values.shape != labels.shape:
        return ()
    return tuple(tuple(row) for row in values.tolist())


@contextmanager
def hook_output(model: torch.nn.Module) -> Iterator[OutputHook]:
    watch = OutputHook()
    handle = model.register_forward_hook(watch.see)
    try:
        yield watch
    finally:
        handle.remove()


def first_loss(loss: torch.Tensor, watch: OutputHook, labels: torch.Tensor | None) -> FirstLoss:
    """The loss beside what its logits and labels say it should be."""
    scored = None if labels is None or labels.is_floating_point() else int((labels != -100).sum())
    logits = watch.logits
    return FirstLoss(
        value=float(loss.detach()),
        parts=watch.parts,
        scored_tokens=scored,
        scored_positions=None if watch.felt is None else int(watch.felt.sum()),
        vocabulary=None if logits is None else logits.shape[-1],
        cross_entropy=plain_cross_entropy(logits, labels),
        logits=None if logits is None else _describe(logits.float()),
        dtype=str(loss.dtype).removeprefix("torch."),
    )


def plain_cross_entropy(logits: torch.Tensor | None, labels: torch.Tensor | None) -> float | None:
    if logits is None or labels is None or labels.is_floating_point() or logits.shape[:-1] != labels.shape:
        return None
    wanted = labels[labels != -100].to(logits.device)
    if not wanted.numel() or int(wanted.min()) < 0 or int(wanted.max()) >= logits.shape[-1]:
        return None
    return float(torch.nn.functional.cross_entropy(logits[labels != -100].float(), wanted))


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

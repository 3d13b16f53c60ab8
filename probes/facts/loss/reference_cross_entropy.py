"""A loss beside plain cross-entropy of the same scores and labels: its value, and its gradient on the scores."""

from dataclasses import replace
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from probes.facts.core.output_hook import OutputHook
from probes.facts.loss.types import LossTrials


def compare_with_cross_entropy(trials: LossTrials, loss: torch.Tensor, labels: Any, watch: OutputHook) -> LossTrials:
    """Plain cross-entropy of these scores and labels: its value, and its gradient beside that of the loss."""
    live, scores = watch.live, watch.logits
    if scores is None or not isinstance(labels, torch.Tensor) or labels.is_floating_point():
        return trials
    if scores.shape[:-1] != labels.shape or not bool((labels >= 0).any()) or int(labels.max()) >= scores.shape[-1]:
        return trials
    scored = int((labels >= 0).sum())
    trials = replace(trials, tokens=scored, positions=labels.numel(), classes=scores.shape[-1])
    leaf = scores.detach().float().requires_grad_()
    with torch.enable_grad():
        kept = labels.masked_fill(labels < 0, -100).to(leaf.device)
        book = cross_entropy(leaf.flatten(0, -2), kept.flatten())
        (wanted,) = torch.autograd.grad(book, leaf)
        given = None
        if live is not None and live.requires_grad and loss.requires_grad:
            (given,) = torch.autograd.grad(loss, live, allow_unused=True)
    trials = replace(trials, cross_entropy=float(book.detach()))
    if given is None:
        return trials
    trials = replace(trials, target_agreement=_asked(given, labels))
    along, size = float((given.float() * wanted).sum()), float(wanted.square().sum())
    length = float(given.float().square().sum()) ** 0.5
    return replace(trials, scale=along / size, cosine=along / (length * size**0.5 + 1e-30)) if size else trials


def _asked(gradient: torch.Tensor, labels: torch.Tensor) -> float | None:
    """The class whose score the loss wants to rise, the lowest of the gradient, against the label there or next."""
    felt, wanted = gradient.abs().amax(-1) != 0, gradient.argmin(-1)
    labels = labels.to(gradient.device)
    shares = [float((wanted == labels)[felt & (labels >= 0)].float().mean())]
    if labels.dim() == 2 and labels.shape[1] > 1:
        scored = felt[:, :-1] & (labels[:, 1:] >= 0)
        shares.append(float((wanted[:, :-1] == labels[:, 1:])[scored].float().mean()))
    told = [share for share in shares if share == share]
    return max(told, default=None)

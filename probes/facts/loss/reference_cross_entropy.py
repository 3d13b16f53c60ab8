"""Compares a loss with plain cross-entropy of the same logits and labels: value and gradient."""

from dataclasses import replace
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from probes.facts.core.output_hook import OutputHook
from probes.facts.loss.types import LossTrials


def compare_with_cross_entropy(trials: LossTrials, loss: torch.Tensor, labels: Any, output: OutputHook) -> LossTrials:
    """Compare the loss with `cross_entropy` on the same logits and labels: value, gradient scale and cosine."""
    live, scores = output.live, output.logits
    if scores is None or not isinstance(labels, torch.Tensor) or labels.is_floating_point():
        return trials
    if scores.shape[:-1] != labels.shape or not bool((labels >= 0).any()) or int(labels.max()) >= scores.shape[-1]:
        return trials
    scored = int((labels >= 0).sum())
    trials = replace(trials, tokens=scored, positions=labels.numel(), classes=scores.shape[-1])
    leaf = scores.detach().float().requires_grad_()
    with torch.enable_grad():
        masked = labels.masked_fill(labels < 0, -100).to(leaf.device)
        reference = cross_entropy(leaf.flatten(0, -2), masked.flatten())
        (expected,) = torch.autograd.grad(reference, leaf)
        gradient = None
        if live is not None and live.requires_grad and loss.requires_grad:
            (gradient,) = torch.autograd.grad(loss, live, allow_unused=True)
    trials = replace(trials, cross_entropy=float(reference.detach()))
    if gradient is None:
        return trials
    trials = replace(trials, target_agreement=target_agreement(gradient, labels))
    along, size = float((gradient.float() * expected).sum()), float(expected.square().sum())
    length = float(gradient.float().square().sum()) ** 0.5
    return replace(trials, scale=along / size, cosine=along / (length * size**0.5 + 1e-30)) if size else trials


def target_agreement(gradient: torch.Tensor, labels: torch.Tensor) -> float | None:
    """How often the class that the loss pushes up, the lowest of the gradient, is the label there or the next one."""
    scored, targets = gradient.abs().amax(-1) != 0, gradient.argmin(-1)
    labels = labels.to(gradient.device)
    shares = [float((targets == labels)[scored & (labels >= 0)].float().mean())]
    if labels.dim() == 2 and labels.shape[1] > 1:
        ahead = scored[:, :-1] & (labels[:, 1:] >= 0)
        shares.append(float((targets[:, :-1] == labels[:, 1:])[ahead].float().mean()))
    return max((share for share in shares if share == share), default=None)

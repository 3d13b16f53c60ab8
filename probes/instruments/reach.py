"""Where does the gradient not arrive? Looked at again before anybody is blamed: one step is not proof.

Layer drop leaves layers out at random, and a part that starts at zero (an adapter's second matrix) hides the one before
it. So a second look runs in evaluation mode with all weights nudged, and what is still without a gradient is asked
whether the loss follows it at all.
"""

from collections.abc import Iterable
from typing import Any

import torch

from diagnose import meter
from probes.instruments.batches import copied
from probes.instruments.first_step import gradient_of, trainable
from probes.instruments.observer import observed
from probes.instruments.outputs import ComputeLoss
from probes.measured.steps import Cut, Gradients, Reach

MOST = 4  # cuts that are asked one by one, each for a forward pass


def find_cuts(
    model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss, first: Gradients, others: Iterable[Any] = ()
) -> Reach:
    """Whole modules that the gradient does not reach, largest first, and lone parameters besides."""
    total = sum(row.size for row in first.rows)
    suspects = {row.name: row.norm is None for row in first.rows if not row.norm and row.finite}
    if suspects:
        suspects = _second_look(model, batch, compute_loss, suspects, others)
    if not suspects:
        return Reach(total)
    cuts = sorted(_whole_modules(model, suspects), key=lambda cut: -cut.size)
    within = tuple(f"{cut.module}." for cut in cuts)
    lone = tuple(name for name in suspects if not name.startswith(within))
    asked = [_asked(model, batch, compute_loss, cut, others) for cut in cuts[:MOST]]
    return Reach(total, (*asked, *cuts[MOST:]), lone)


def _second_look(
    model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss, suspects: dict[str, bool], others: Iterable[Any]
) -> dict[str, bool]:
    with observed(model, others=others), torch.enable_grad():
        model.eval()
        _nudge(parameter for _, parameter in trainable(model))
        meter.count()
        try:
            compute_loss(model, copied(batch)).backward()
        except RuntimeError:  # recurrent layers on a GPU refuse a backward pass in evaluation mode
            model.train()
            compute_loss(model, copied(batch)).backward()
        rows = {name: gradient_of(name, parameter) for name, parameter in trainable(model) if name in suspects}
    return {name: row.norm is None for name, row in rows.items() if not row.norm and row.finite}


def _nudge(parameters: Iterable[torch.nn.Parameter]) -> None:
    """A tenth of each weight's usual size, and a little more for those that are zero."""
    with torch.no_grad():
        for parameter in parameters:
            size = float(parameter.float().square().mean().sqrt()) if parameter.numel() else 0.0
            parameter.add_(torch.randn_like(parameter) * (0.1 * size + 1e-3))


def _whole_modules(model: torch.nn.Module, suspects: dict[str, bool]) -> list[Cut]:
    """The topmost modules all of whose trainable parameters are suspects."""
    cuts: list[Cut] = []
    for name, module in model.named_modules():
        own = {f"{name}.{n}" if name else n: p for n, p in trainable(module)}
        if not name or not own or any(name.startswith(f"{cut.module}.") for cut in cuts):
            continue
        if all(parameter in suspects for parameter in own):
            size, missing = sum(p.numel() for p in own.values()), all(suspects[parameter] for parameter in own)
            cuts.append(Cut(name, type(module).__name__, len(own), size, missing))
    return cuts


def _asked(model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss, cut: Cut, others: Iterable[Any]) -> Cut:
    """Whether the loss follows when only this module's weights change; compared with how much it wavers by itself."""
    with observed(model, others=others), torch.no_grad():
        model.eval()
        meter.count()
        first, again = (float(compute_loss(model, copied(batch))) for _ in range(2))
        _nudge(parameter for _, parameter in trainable(model.get_submodule(cut.module)))
        nudged = float(compute_loss(model, copied(batch)))
    slack = 10 * abs(first - again) + 1e-6 * max(1.0, abs(first))
    return Cut(cut.module, cut.kind, cut.tensors, cut.size, cut.missing, followed=not abs(nudged - first) <= slack)

"""Where does the gradient not arrive? Looked at again before anybody is blamed: one step is not proof.

Layer drop leaves layers out at random, and a part that starts at zero (an adapter's second matrix) hides the one before
it. So a second look runs in evaluation mode with all weights nudged, and what is still without a gradient is asked
whether the loss follows it at all.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import torch

from diagnose import meter
from probes.instruments.batches import copied
from probes.instruments.first_step import gradient_of, trainable
from probes.instruments.keeping import Keeper
from probes.instruments.observer import observed
from probes.instruments.outputs import ComputeLoss
from probes.measured.steps import Cut, Gradients, Reach

MOST = 4  # cuts that are asked one by one, each for a forward pass


def find_cuts(
    model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss, first: Gradients, others: Iterable[Any] = ()
) -> Reach:
    """Modules and parameters that the gradient does not reach, largest first."""
    total = sum(row.size for row in first.rows)
    suspects = {row.name: row.norm is None for row in first.rows if not row.norm and row.finite}
    if not suspects:
        return Reach(total)
    with observed(model, others=others) as before:
        suspects = _second_look(model, batch, compute_loss, suspects)
        _put_weights_back(model, before)
        cuts = sorted(_cuts(model, suspects), key=lambda cut: -cut.size)
        return Reach(total, tuple(_asked(model, batch, compute_loss, cuts, before)))


def _second_look(
    model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss, suspects: dict[str, bool]
) -> dict[str, bool]:
    with torch.enable_grad():
        model.eval()
        _nudge(parameter for _, parameter in trainable(model))
        meter.count()
        try:
            compute_loss(model, copied(batch)).backward()
        except RuntimeError:  # recurrent layers on a GPU refuse a backward pass in evaluation mode
            model.train()
            compute_loss(model, copied(batch)).backward()
    rows = [gradient_of(name, parameter) for name, parameter in trainable(model) if name in suspects]
    return {row.name: row.norm is None for row in rows if not row.norm and row.finite}


def _nudge(parameters: Iterable[torch.nn.Parameter]) -> None:
    """A tenth of each weight's usual size, and a little more for those that are zero."""
    with torch.no_grad():
        for parameter in parameters:
            size = float(parameter.float().square().mean().sqrt()) if parameter.numel() else 0.0
            parameter.add_(torch.randn_like(parameter) * (0.1 * size + 1e-3))


def _put_weights_back(model: torch.nn.Module, before: Keeper) -> None:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(before.copy_of(parameter))


def _cuts(model: torch.nn.Module, suspects: dict[str, bool]) -> Iterator[Cut]:
    """The topmost modules all of whose trainable parameters are suspects, then lone parameters of other modules."""
    covered: list[str] = []
    for name, module in model.named_modules():
        own = {f"{name}.{n}" if name else n: p for n, p in trainable(module)}
        if own and name and all(p in suspects for p in own) and not name.startswith(tuple(covered) or ("\0",)):
            covered.append(f"{name}.")
            size, missing = sum(p.numel() for p in own.values()), all(suspects[p] for p in own)
            yield Cut(name, type(module).__name__, len(own), size, missing)
    for name, missing in suspects.items():
        if not name.startswith(tuple(covered) or ("\0",)):
            yield Cut(name, "Parameter", 1, model.get_parameter(name).numel(), missing)


def _asked(
    model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss, cuts: list[Cut], before: Keeper
) -> Iterator[Cut]:
    """Whether the loss follows when only this part's weights change; compared with how much it wavers by itself."""
    with torch.no_grad():
        model.eval()
        first, again = (_loss(model, batch, compute_loss) for _ in range(2)) if cuts else (0.0, 0.0)
        slack = 10 * abs(first - again) + 1e-6 * max(1.0, abs(first))
        for number, cut in enumerate(cuts):
            if number < MOST:
                inside = (p for n, p in trainable(model) if n == cut.module or n.startswith(f"{cut.module}."))
                _nudge(inside)
                cut = replace(cut, followed=not abs(_loss(model, batch, compute_loss) - first) <= slack)
                _put_weights_back(model, before)
            yield cut


def _loss(model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss) -> float:
    meter.count()
    return float(compute_loss(model, copied(batch)))

"""Parts that the first batch leaves alone and another one uses: experts of a mixture, branches for some rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch

from probes.facts.first_step.types import UnreachedModule


def mark_used_elsewhere(
    model: torch.nn.Module, run: Callable[[Any], Any], batches: Sequence[Any], cuts: list[UnreachedModule]
) -> list[UnreachedModule]:
    """The cuts, with those marked that are not at work in the first of the batches but in a later one."""
    modules = dict(model.named_modules())
    asked = {c.module: modules[c.module] for c in cuts if c.missing and c.followed is False and c.module in modules}
    if not asked or len(batches) < 2:
        return cuts
    first = _at_work(asked, run, batches[:1])
    later = _at_work({name: module for name, module in asked.items() if name not in first}, run, batches[1:])
    return [replace(cut, elsewhere=cut.module in later) for cut in cuts]


def _at_work(asked: dict[str, torch.nn.Module], run: Callable[[Any], Any], batches: Iterable[Any]) -> set[str]:
    """Those of which any piece is called; no pass is made when there is nothing to ask."""
    seen: set[str] = set()
    pieces = [(name, piece) for name, module in asked.items() for piece in module.modules()]
    handles = [piece.register_forward_hook(lambda *_, name=name: seen.add(name)) for name, piece in pieces]
    with torch.no_grad():
        for batch in batches if asked else ():
            run(batch)
    for handle in handles:
        handle.remove()
    return seen

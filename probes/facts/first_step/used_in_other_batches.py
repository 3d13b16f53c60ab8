"""Finds modules that another batch uses and the first one does not: experts of a mixture, branches for some rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch

from probes.facts.core.hooks import removed_afterwards
from probes.facts.first_step.types import UnreachedModule


def mark_used_elsewhere(
    model: torch.nn.Module, run: Callable[[Any], Any], batches: Sequence[Any], cuts: list[UnreachedModule]
) -> list[UnreachedModule]:
    """The cuts, with those marked that a later batch uses and the first one does not."""
    modules = dict(model.named_modules())
    unused = {c.module: modules[c.module] for c in cuts if c.missing and c.followed is False and c.module in modules}
    if not unused or len(batches) < 2:
        return cuts
    first = _used(unused, run, batches[:1])
    later = _used({name: module for name, module in unused.items() if name not in first}, run, batches[1:])
    return [replace(cut, elsewhere=cut.module in later) for cut in cuts]


def _used(modules: dict[str, torch.nn.Module], run: Callable[[Any], Any], batches: Iterable[Any]) -> set[str]:
    """The modules of which any part is called; no pass is made for none."""
    used: set[str] = set()
    pieces = [(name, piece) for name, module in modules.items() for piece in module.modules()]
    hooks = (piece.register_forward_hook(lambda *_, name=name: used.add(name)) for name, piece in pieces)
    with removed_afterwards(hooks), torch.no_grad():
        for batch in batches if modules else ():
            run(batch)
    return used

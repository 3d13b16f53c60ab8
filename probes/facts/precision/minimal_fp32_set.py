"""The fewest modules that must stay in float32: from the ranges, then by trying with real half kernels."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from probes.facts.nonfinite.traced_step import AutocastSetup
from probes.facts.precision.precision_runs import Keep, PrecisionMode, find_origin_in, try_precision

TRIALS = 24  # passes spent on growing and thinning the set
Names = tuple[str, ...]


def minimal_fp32_set(
    subject: AutocastSetup, batch: Any, arm: PrecisionMode, keep: Keep, guesses: Iterable[str]
) -> Names | None:
    """Finite with all of them, not finite without any one of them; None where no modules help."""
    search = _MinimalSetSearch(subject, batch, arm, keep)
    names = search.grown(tuple(dict.fromkeys(search.known(guesses))))
    return None if names is None else search.thinned(names)


class _MinimalSetSearch:
    def __init__(self, subject: AutocastSetup, batch: Any, arm: PrecisionMode, keep: Keep) -> None:
        self.subject, self.batch, self.arm, self.keep = subject, batch, arm, keep
        self.modules = {name for name, _ in subject.model.named_modules() if name}
        self.trials = TRIALS
        self.tried: dict[frozenset[str], bool] = {}

    def known(self, names: Iterable[str]) -> Iterator[str]:
        """A weight is named by its module; the model itself cannot be wrapped."""
        for name in names:
            while name and name not in self.modules:
                name = name.rpartition(".")[0]
            if name:
                yield name

    def holds(self, names: Names) -> bool:
        wanted = frozenset(names)
        if wanted not in self.tried:
            self.trials -= 1
            with fp32_modules(self.subject.model, self.keep, names):
                self.tried[wanted] = try_precision(self.subject, self.batch, self.arm).finite
        return self.tried[wanted]

    def grown(self, names: Names) -> Names | None:
        """Until all is finite: what is bad next is added, and in a module that is kept already, the one around it."""
        while not self.holds(names):
            with fp32_modules(self.subject.model, self.keep, names):
                origin = find_origin_in(self.subject, self.batch, self.arm)
            module = next(self.known([origin.module]), "") if origin is not None else ""
            while module and any(f"{module}.".startswith(f"{name}.") for name in names):
                module = module.rpartition(".")[0]
            if not module or self.trials <= TRIALS // 2:
                return self._all_parts()
            names = (*(name for name in names if not name.startswith(f"{module}.")), module)
        return names

    def _all_parts(self) -> Names | None:
        """Where too much is bad to be added one by one, or where nobody is named: of the model's parts, the fewest."""
        parts = tuple(name for name, _ in self.subject.model.named_children())
        return parts if self.holds(parts) else None

    def thinned(self, names: Names) -> Names | None:
        """Leaves out halves, quarters, ... and at last single modules, until none can be left out."""
        size = max(1, len(names) // 2)
        while names and self.trials > 0:
            fewer = next((rest for rest in _without(names, size) if self.holds(rest)), None)
            if fewer is not None:
                names, size = fewer, min(size, max(1, len(fewer)))
            elif size == 1:
                return names
            else:
                size //= 2
        return names if self._minimal(names) else None

    def _minimal(self, names: Names) -> bool:
        return all(self.tried.get(frozenset(rest)) is False for rest in _without(names, 1))


def _without(names: Names, size: int) -> Iterator[Names]:
    for start in range(0, len(names), size):
        yield names[:start] + names[start + size :]


@contextmanager
def fp32_modules(model: torch.nn.Module, keep: Callable[..., list[Any]], names: Names) -> Iterator[None]:
    """These modules are in float32 inside."""
    handles = keep(model, names)
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()

"""The fewest modules that must stay in float32: from the ranges, then by trying with real half kernels."""

from collections.abc import Iterable, Iterator
from typing import Any

from probes.facts.core.hooks import removed_afterwards
from probes.facts.nonfinite.traced_step import AutocastSetup
from probes.facts.precision.precision_runs import Keep, PrecisionMode, find_origin_in, try_precision

TRIALS = 24  # passes spent on growing and thinning the set
Names = tuple[str, ...]


def minimal_fp32_set(
    subject: AutocastSetup, batch: Any, arm: PrecisionMode, keep: Keep, guesses: Iterable[str]
) -> Names | None:
    """Finite with all of them, not finite without any one of them; None where no modules help."""
    search = _MinimalSetSearch(subject, batch, arm, keep)
    names = search.grow(tuple(dict.fromkeys(search.known(guesses))))
    return None if names is None else search.shrink(names)


class _MinimalSetSearch:
    def __init__(self, subject: AutocastSetup, batch: Any, arm: PrecisionMode, keep: Keep) -> None:
        self.subject, self.batch, self.arm, self.keep = subject, batch, arm, keep
        self.modules = {name for name, _ in subject.model.named_modules() if name}
        self.trials = TRIALS
        self.results: dict[frozenset[str], bool] = {}

    def known(self, names: Iterable[str]) -> Iterator[str]:
        """A weight is named by its module; the model itself cannot be wrapped."""
        for name in names:
            while name and name not in self.modules:
                name = name.rpartition(".")[0]
            if name:
                yield name

    def holds(self, names: Names) -> bool:
        key = frozenset(names)
        if key not in self.results:
            self.trials -= 1
            with removed_afterwards(self.keep(self.subject.model, names)):
                self.results[key] = try_precision(self.subject, self.batch, self.arm).finite
        return self.results[key]

    def grow(self, names: Names) -> Names | None:
        """Adds the next bad module until all is finite; inside one that is kept already, the module around it."""
        while not self.holds(names):
            with removed_afterwards(self.keep(self.subject.model, names)):
                origin = find_origin_in(self.subject, self.batch, self.arm)
            module = next(self.known([origin.module]), "") if origin is not None else ""
            while module and any(f"{module}.".startswith(f"{name}.") for name in names):
                module = module.rpartition(".")[0]
            if not module or self.trials <= TRIALS // 2:
                return self._all_parts()
            names = (*(name for name in names if not name.startswith(f"{module}.")), module)
        return names

    def _all_parts(self) -> Names | None:
        """The model's children, where too much is bad to be added one by one or no module is named."""
        parts = tuple(name for name, _ in self.subject.model.named_children())
        return parts if self.holds(parts) else None

    def shrink(self, names: Names) -> Names | None:
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
        return all(self.results.get(frozenset(rest)) is False for rest in _without(names, 1))


def _without(names: Names, size: int) -> Iterator[Names]:
    for start in range(0, len(names), size):
        yield names[:start] + names[start + size :]

"""The cases by name. A case builds the facts that the author of the script would give, broken or healthy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import datasets
import torch
import transformers

from tests.zoo.registry import Facts
from tests.zoo.verdicts import Result, look


@dataclass(frozen=True)
class Case:
    """One reported failure. `probes`: the ids that rightly name it. `short`: it belongs to the quick test."""

    name: str
    fault: str
    probes: tuple[str, ...]
    build: Callable[[bool], Facts]
    short: bool = False

    def broken(self) -> Facts:
        """The facts of the script as it was reported."""
        return self.facts(True)

    def healthy(self) -> Facts:
        """The facts of the same script with the failure mended."""
        return self.facts(False)

    def facts(self, broken: bool) -> Facts:
        """The facts, drawn from seed 0."""
        torch.manual_seed(0)
        return self.build(broken)

    def look(self, broken: bool) -> Result:
        """What a preflight says."""
        return look(self.facts(broken))

    def is_named(self, result: Result) -> bool:
        """Whether one of the probes that rightly name the failure raised an error or a warning."""
        return any(probe in self.probes for probe in result.told)


CASES: dict[str, Case] = {}


def failure(fault: str, *probes: str, short: bool = False) -> Callable[[Callable[[bool], Facts]], Any]:
    """Registers a case: the failure it shows, and the probes of which any one rightly names it."""

    def register(build: Callable[[bool], Facts]) -> Callable[[bool], Facts]:
        CASES[build.__name__] = Case(build.__name__, fault, probes, build, short)
        return build

    return register


def cases() -> dict[str, Case]:
    """All cases of the modules beside this one."""
    datasets.disable_progress_bars()
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        import_module(f"tests.zoo.failures.{path.stem}")
    return CASES

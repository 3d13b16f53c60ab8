"""The set-ups by name. A set-up is a function that returns the facts that its author would give to a preflight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import datasets
import torch
import transformers
from torch.utils.data import DataLoader

Facts = dict[str, Any]


@dataclass(frozen=True)
class SetUp:
    """One healthy run. `short`: it belongs to the short form in `make test`."""

    name: str
    build: Callable[[], Facts]
    short: bool = False

    def facts(self, seed: int) -> Facts:
        """The facts of this seed, drawn anew."""
        torch.manual_seed(seed)
        return self.build()


SETUPS: dict[str, SetUp] = {}


def setup(build: Callable[[], Facts] | None = None, *, short: bool = False) -> Any:
    """Registers a set-up under the name of its function; `short`: it belongs to the short form in `make test`."""
    if build is None:
        return lambda marked: setup(marked, short=short)
    SETUPS[build.__name__] = SetUp(build.__name__, build, short)
    return build


def dataset_facts(model: Any, dataset: Any, collate: Any, rows: int, rate: float) -> Facts:
    """What most authors have: a model, a dataset, its collator, a loader that shuffles, and AdamW."""
    return {
        "model": model,
        "train_dataset": dataset,
        "collate": collate,
        "train_batches": DataLoader(dataset, batch_size=rows, shuffle=True, collate_fn=collate),
        "optimizer": torch.optim.AdamW(model.parameters(), lr=rate),
    }


def setups() -> dict[str, SetUp]:
    """All set-ups of the folders beside this module; libraries print no progress of their own."""
    datasets.disable_progress_bars()
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    here = Path(__file__).parent
    for path in sorted(here.glob("*/[a-z]*.py")):
        import_module(f"tests.zoo.{path.parent.name}.{path.stem}")
    return SETUPS

"""A Trainer's own evaluation over a few of its rows. Whoever calls it keeps the Trainer, or works in a child."""

from collections.abc import Callable
from itertools import islice
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.facts.core.numbers import evenly_spaced
from probes.facts.core.observer import restore_entries
from probes.facts.core.require import has_items

ROWS = 2  # of the evaluation set
WHOLE = 8  # batches: an evaluation that is the run's own is called as it is where it has no more than these


def has_own_evaluate(trainer: Any) -> bool:
    """Whether a subclass says itself what evaluate() does: it may hand other things to compute_metrics."""
    return type(trainer).evaluate.__module__.partition(".")[0] != "transformers"


def some_rows(trainer: Any, count: int) -> Any:
    """A dataset of a few evaluation rows, evenly over the set; of the first one, where there are several by name."""
    from torch.utils.data import Subset

    rows: Any = trainer.eval_dataset
    rows = next(iter(rows.values())) if isinstance(rows, dict) else rows
    if not has_items(rows):
        return list(islice(rows, count))
    numbers = list(evenly_spaced(range(len(rows)), min(count, len(rows))))
    return rows.select(numbers) if hasattr(rows, "select") else Subset(rows, numbers)


def evaluate_of_trainer(trainer: Any, batches: Any) -> Callable[[], dict[str, float]]:
    """Its evaluate(), without callbacks, which draw and write."""

    def evaluated() -> dict[str, float]:
        callbacks = trainer.callback_handler.callbacks
        with restore_entries(vars(trainer), callbacks):
            callbacks.clear()
            return dict(_evaluated(trainer, batches))

    return evaluated


def _evaluated(trainer: Any, batches: Any) -> Any:
    if has_own_evaluate(trainer) and hasattr(batches, "__len__") and len(batches) <= WHOLE:
        return trainer.evaluate()
    try:
        return trainer.evaluate(some_rows(trainer, ROWS))
    except Exception as error:
        if not has_own_evaluate(trainer) and "'Subset' object" not in str(error):  # an attribute of its own dataset
            raise
        kind = type(trainer).__name__
        raise NotApplicable(f"{kind}.evaluate does not work on a few rows ({type(error).__name__}: {error})") from error

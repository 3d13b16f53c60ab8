"""What a provider needs before it measures: where it is missing, whatever asks for the fact is skipped."""

from typing import Any, TypeVar

from diagnose.engine.context import FactError, NotApplicable

Value = TypeVar("Value")
RUN_THROUGH = "the training set has no items by index: it can only be iterated"


def require(value: Value | None, reason: object, error: type[FactError] = NotApplicable) -> Value:
    """The value, unless it is None, False or empty: then the fact does not apply, for this reason."""
    if not value:
        raise error(str(reason))
    return value


def has_items(*datasets: Any) -> bool:
    """Each has a length, and items by number."""
    return all(hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__") for dataset in datasets)


def require_items(dataset: Any, reason: str = RUN_THROUGH) -> None:
    require(has_items(dataset), reason)

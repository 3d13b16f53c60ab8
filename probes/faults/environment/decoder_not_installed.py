from importlib import import_module
from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.item_changes import with_items


def _decode(number: int, item: Any) -> Any:
    import_module("decoder_that_nobody_installed")
    return item


@fault(
    "the dataset decodes with a package that is not installed",
    "ENV004",
    lambda facts: getattr(facts["train_dataset"], "change", None) is _decode,
)
def decoder_not_installed(facts: Facts) -> Facts:
    return with_items(facts, _decode)

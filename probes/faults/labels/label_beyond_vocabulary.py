from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import HF_MODELS, first_labels, with_targets

FAR = 10_000


@change_fault(
    with_targets,
    "some labels have an id that the model has no row for",
    "LAB015",
    lambda facts: int(first_labels(facts).max()) == FAR,
    HF_MODELS,
)
def label_beyond_vocabulary(labels: Any) -> Any:
    return labels.masked_fill(labels == labels.max(), FAR)

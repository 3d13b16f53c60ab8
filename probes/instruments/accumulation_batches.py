"""The same rows as one batch and as several: cut out of a batch, or collated anew where it is too small."""

from typing import Any

from probes.instruments.loss_rows import LabelsOf, NotCut, rows_of_batch, taken
from probes.instruments.loss_sizes import collated

Parts = tuple[Any, list[Any], float]


def whole_and_parts(batch: Any, labels_of: LabelsOf, count: int, dataset: Any = None, collate: Any = None) -> Parts:
    """As few rows as will do, spread over the batch; and their share of it."""
    rows = rows_of_batch(batch, labels_of(batch))
    if rows >= count:
        chosen = [rows * place // count for place in range(count)]
        return taken(batch, chosen, rows), [taken(batch, [row], rows) for row in chosen], count / rows
    if dataset is None or collate is None or not hasattr(dataset, "__getitem__") or len(dataset) < count:
        raise NotCut(f"a batch of {rows} rows cannot be cut into {count}, and there is no set to collate one from")
    chosen = [len(dataset) * place // count for place in range(count)]
    whole, *parts = collated(dataset, [chosen, *([number] for number in chosen)], collate)
    return whole, parts, count / rows

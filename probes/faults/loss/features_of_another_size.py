from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import Facts, before_and_after, with_batches

BANDS = {"input_features": 1, "feats": 2}  # the axis of the bands, by the key that holds them


def _width(batch: Any) -> int:
    if not isinstance(batch, dict):
        return int(batch[0].shape[1])
    return next((int(batch[key].shape[axis]) for key, axis in BANDS.items() if key in batch), 0)


def _is_narrower(facts: Facts) -> bool:
    pair = before_and_after(facts)
    return pair is not None and _width(pair[0]) == _width(pair[1]) + 1


@change_fault(
    with_batches,
    "the features come from an extractor with fewer bands",
    "LOS003",
    _is_narrower,
    ("whisper", "hybrid", "classifier"),
)
def features_of_another_size(batch: Any) -> Any:
    if not isinstance(batch, dict):
        return [batch[0][:, :-1], batch[1]]
    fewer = {key: batch[key].narrow(axis, 0, batch[key].shape[axis] - 1) for key, axis in BANDS.items() if key in batch}
    return {**batch, **fewer}

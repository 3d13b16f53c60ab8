from typing import Any

from diagnose import fault
from probes.faults.changes import Facts, with_batches

BANDS = {"input_features": 1, "feats": 2}  # the axis of the bands, by the key that holds them


def _narrower(batch: Any) -> Any:
    if not isinstance(batch, dict):
        return [batch[0][:, :-1], batch[1]]
    return {
        key: value.narrow(BANDS[key], 0, value.shape[BANDS[key]] - 1) if key in BANDS else value
        for key, value in batch.items()
    }


def _width(facts: Facts) -> int:
    batch = facts["collate"]([facts["train_dataset"][0]])
    return (
        batch[0].shape[1]
        if not isinstance(batch, dict)
        else next(batch[k].shape[a] for k, a in BANDS.items() if k in batch)
    )


@fault(
    id="features_of_another_size",
    breaks="the features come from an extractor with fewer bands",
    named_by="LOS003",
    proof=lambda facts: _width(facts) in (11, 39),
    applies_to=("whisper", "hybrid", "classifier"),
)
def features_of_another_size(facts: Facts) -> Facts:
    return with_batches(facts, _narrower)

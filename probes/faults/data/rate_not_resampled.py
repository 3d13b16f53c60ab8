from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.item_changes import with_items


@fault(
    "clips of 8 kHz are given to a model of 16 kHz",
    "DAT011",
    lambda f: f["train_dataset"][0]["sample_rate"] == 8000,
    ("whisper",),
)
def rate_not_resampled(facts: Facts) -> Facts:
    return with_items(facts, lambda _, item: {**item, "audio": item["audio"][::2], "sample_rate": 8000})

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.item_changes import audio_of, with_items


# The features of the other subjects are normalised for each clip, so that its scale does not matter.
@fault(
    "samples are 16-bit integers that are not scaled",
    "DAT015",
    lambda facts: abs(audio_of(facts)).max() > 1000,
    ("whisper",),
)
def integers_not_scaled(facts: Facts) -> Facts:
    return with_items(facts, lambda _, item: {**item, "audio": item["audio"] * 32768})

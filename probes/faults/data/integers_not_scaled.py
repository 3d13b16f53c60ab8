from diagnose import fault
from probes.faults.kit.changes import SPEECH, Facts
from probes.faults.kit.item_changes import audio_of, with_items


@fault("samples are 16-bit integers that nobody divided", "DAT015", lambda f: abs(audio_of(f)).max() > 1000, SPEECH)
def integers_not_scaled(facts: Facts) -> Facts:
    return with_items(facts, lambda _, item: {**item, "audio": item["audio"] * 32768})

from diagnose import fault
from probes.faults.kit.changes import SPEECH, Facts
from probes.faults.kit.item_changes import audio_of, with_items


@fault("the waveform has an axis for its single channel", "DAT012", lambda f: audio_of(f).ndim == 2, SPEECH)
def channel_axis_kept(facts: Facts) -> Facts:
    return with_items(facts, lambda _, item: {**item, "audio": item["audio"][None, :]})

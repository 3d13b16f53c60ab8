from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, with_corpus


@fault(
    "clips are cut at 0.3 s, and their texts are not",
    "DAT021",
    lambda f: f.get("configured_audio", {}).get("max_seconds") == 0.3,
    SPEECH,
)
def window_shorter_than_clips(facts: Facts) -> Facts:
    return {**with_corpus(facts), "configured_audio": {"sample_rate": 16_000, "max_seconds": 0.3}}

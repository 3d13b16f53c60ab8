from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault


@corpus_fault(
    "clips are cut at 0.3 s, and their texts are not",
    "DAT021",
    lambda f: f.get("configured_audio", {}).get("max_seconds") == 0.3,
)
def window_shorter_than_clips(corpus: Facts) -> Facts:
    return {**corpus, "configured_audio": {"sample_rate": 16_000, "max_seconds": 0.3}}

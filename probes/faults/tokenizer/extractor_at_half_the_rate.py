from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import with_extractor


@fault(
    "the feature extractor works at 8 kHz",
    "TOK009",
    lambda f: f["feature_extractor"].sampling_rate == 8000,
    ("whisper",),
)
def extractor_at_half_the_rate(facts: Facts) -> Facts:
    facts["model"].config.sampling_rate = 16_000
    return with_extractor(facts, feature_size=40, chunk_length=2, sampling_rate=8000)

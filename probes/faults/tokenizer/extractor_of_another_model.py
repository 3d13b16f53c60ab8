from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import with_extractor


@fault(
    "the feature extractor of another model makes other mel bins",
    "TOK008",
    lambda facts: facts["feature_extractor"].feature_size != facts["model"].config.num_mel_bins,
    ("whisper",),
)
def extractor_of_another_model(facts: Facts) -> Facts:
    usual = facts["feature_extractor"]
    return with_extractor(facts, feature_size=2 * usual.feature_size, chunk_length=usual.chunk_length)

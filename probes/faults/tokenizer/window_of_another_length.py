from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import with_extractor


@fault(
    "the feature extractor's window is twice as long as the model's positions",
    "TOK010",
    lambda facts: facts["feature_extractor"].chunk_length == 2,
    ("whisper",),
)
def window_of_another_length(facts: Facts) -> Facts:
    return with_extractor(facts, feature_size=40, chunk_length=2)

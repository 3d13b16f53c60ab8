from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import with_collator


def with_extractor(facts: Facts, **sizes: int) -> Facts:
    """The facts with another feature extractor, used by the collator as well."""
    import numpy as np
    from transformers import WhisperFeatureExtractor

    extractor = WhisperFeatureExtractor(**sizes)

    def collate(items: list[Any]) -> Any:
        audio, rate = [np.asarray(item["audio"]) for item in items], extractor.sampling_rate
        features = extractor(audio, sampling_rate=rate, return_tensors="pt")["input_features"]
        batch = facts["collate"](items)
        return {**batch, "input_features": features.repeat(len(batch["input_features"]) // len(items), 1, 1)}

    return {**with_collator(facts, collate), "feature_extractor": extractor}


@fault(
    "the feature extractor of another model makes other mel bins",
    "TOK008",
    lambda facts: facts["feature_extractor"].feature_size != facts["model"].config.num_mel_bins,
    ("whisper",),
)
def extractor_of_another_model(facts: Facts) -> Facts:
    usual = facts["feature_extractor"]
    return with_extractor(facts, feature_size=2 * usual.feature_size, chunk_length=usual.chunk_length)

from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.evaluation_changes import instead, raises, replaced, some_labels


def _stumbles(facts: Facts) -> bool:
    labels = some_labels(facts)
    return bool((labels == -100).any()) and raises(facts["compute_metrics"], labels, labels)


@fault(
    "the metric function decodes -100 as if it were a token",
    "GEN014",
    lambda facts: replaced(facts, "compute_metrics") and _stumbles(facts),
    SEQUENCES,
)
def minus_100_decoded(facts: Facts) -> Facts:
    words = facts["tokenizer"]

    def decoding(predictions: Any, labels: Any) -> dict[str, float]:
        said, wanted = (words.batch_decode(ids, skip_special_tokens=True) for ids in (predictions, labels))
        return {"exact": sum(map(str.__eq__, said, wanted)) / len(said)}

    return instead(facts, "compute_metrics", decoding)

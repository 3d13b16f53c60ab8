from typing import Any

from probes.faults.kit.change_faults import raises
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.evaluation_changes import exact_match, function_fault, some_labels


def _metric_raises(facts: Facts) -> bool:
    labels = some_labels(facts)
    return bool((labels == -100).any()) and raises(lambda: facts["compute_metrics"](labels, labels))


@function_fault(
    "compute_metrics", "the metric function decodes -100 as if it were a token", "GEN014", _metric_raises, SEQUENCES
)
def minus_100_decoded(facts: Facts) -> Any:
    return exact_match(lambda ids: facts["tokenizer"].batch_decode(ids, skip_special_tokens=True))

from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, label_key, labels_changed, with_batches


def _sorted(labels: Any) -> Any:
    return labels[(labels != -100).sum(1).argsort(descending=True, stable=True)]


def _moved(batch: Any) -> Any:
    lengths = {"tok_lens": (_sorted(batch[label_key(batch)]) != -100).sum(1)} if "tok_lens" in batch else {}
    return {**batch, label_key(batch): _sorted(batch[label_key(batch)]), **lengths}


@fault(
    "the collator sorts labels by length, and inputs not",
    "LAB034",
    lambda f: labels_changed(f, lambda before, after: not before.equal(after) and _sorted(before).equal(after)),
    SEQUENCES,
)
def labels_sorted_by_length(facts: Facts) -> Facts:
    return with_batches(facts, _moved)

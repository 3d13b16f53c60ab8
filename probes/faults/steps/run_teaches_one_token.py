from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import MT5, generated_texts, run_fault, train_on_labels


@run_fault(
    "every label is the same token",
    "STP022",
    lambda r: all(len(set(text)) < 0.2 * len(text) for text in generated_texts(r)),
    MT5,
)
def run_teaches_one_token(facts: Facts) -> dict[str, Any]:
    letter = facts["tokenizer"].encode("a", add_special_tokens=False)[0]
    return train_on_labels(facts, lambda labels: labels * 0 + letter)

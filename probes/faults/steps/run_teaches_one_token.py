from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_run_texts import MT5, generated_texts, train_on_labels
from probes.faults.kit.short_runs import run_fault


@run_fault(
    "every label is the same token",
    "STP022",
    lambda r: all(len(set(text)) < 0.2 * len(text) for text in generated_texts(r)),
    MT5,
)
def run_teaches_one_token(facts: Facts) -> dict[str, Any]:
    letter = facts["tokenizer"].encode("a", add_special_tokens=False)[0]
    return train_on_labels(facts, lambda labels: labels * 0 + letter)

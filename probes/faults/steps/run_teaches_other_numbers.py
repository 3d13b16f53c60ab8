from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import MT5, generated_texts, run_fault, train_on_labels


@run_fault(
    "the labels are numbers of another vocabulary",
    "STP022",
    lambda r: any("\ufffd" in text for text in generated_texts(r)),
    MT5,
)
def run_teaches_other_numbers(facts: Facts) -> dict[str, Any]:
    size = facts["model"].config.vocab_size
    special = len(facts["tokenizer"].all_special_ids)

    def other(labels: Any) -> Any:
        moved = special + (labels - special + size // 2) % (size - special)
        return moved.where(labels >= special, labels)

    return train_on_labels(facts, other)

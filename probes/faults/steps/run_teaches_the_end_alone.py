from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import MT5, generated_texts, run_fault, train_on_labels


@run_fault("all labels but the end are masked", "STP022", lambda r: not any(generated_texts(r)), MT5)
def run_teaches_the_end_alone(facts: Facts) -> dict[str, Any]:
    end = facts["tokenizer"].eos_token_id
    return train_on_labels(facts, lambda labels: labels.masked_fill(labels != end, -100))

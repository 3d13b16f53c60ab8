from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_run_texts import MT5, taught, texts
from probes.faults.kit.short_runs import run


@run(
    "the labels are numbers of another vocabulary", "STP022", lambda r: any("\ufffd" in text for text in texts(r)), MT5
)
def run_teaches_other_numbers(facts: Facts) -> dict[str, Any]:
    size = facts["model"].config.vocab_size
    special = len(facts["tokenizer"].all_special_ids)

    def other(labels: Any) -> Any:
        moved = special + (labels - special + size // 2) % (size - special)
        return moved.where(labels >= special, labels)

    return taught(facts, other)

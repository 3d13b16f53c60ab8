from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.two_tasks import scored_rows, text_rows, two_tasks


def _exchanged(facts: Facts) -> bool:
    transcript = facts["tokenizer"].encode(facts["train_dataset"][0]["transcript"], add_special_tokens=False)
    return len(scored_rows(facts)) == 4 and text_rows(facts)[0] != transcript


@fault(
    "a collator for two tasks gives the translation as transcript, and the other way round",
    "LAB028",
    _exchanged,
    SEQUENCES,
)
def tasks_exchanged(facts: Facts) -> Facts:
    return two_tasks(facts, ("translation", "transcript"))

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.two_tasks import scored_rows, text_rows, two_tasks


@fault(
    "a collator for two tasks gives the transcript both times, and the translation never",
    "LAB027",
    lambda f: len(scored_rows(f)) == 4 and text_rows(f)[0] == text_rows(f)[2],
    SEQUENCES,
)
def halves_of_one_text(facts: Facts) -> Facts:
    return two_tasks(facts, ("transcript", "transcript"))

from diagnose import fault
from probes.faults.changes import Facts, first_labels


@fault(
    id="blank_is_a_letter",
    breaks="the model takes a letter of the tokenizer for the blank of CTC",
    named_by="LAB019",
    proof=lambda facts: bool((first_labels(facts) == facts["model"].vocabulary).any()),
    applies_to=("hybrid",),
)
def blank_is_a_letter(facts: Facts) -> Facts:
    facts["model"].vocabulary = int(first_labels(facts)[0, 1])
    return facts

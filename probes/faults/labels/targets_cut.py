from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_target_rows

LIMIT = 6


@fault(
    "the labels are cut after six tokens, and the end token is put behind the cut",
    "LAB016",
    lambda facts: int((first_labels(facts) != -100).sum(1).max()) == LIMIT,
    SEQUENCES,
)
def targets_cut(facts: Facts) -> Facts:
    end = facts["tokenizer"].eos_token_id
    return with_target_rows(facts, lambda ids: ids if len(ids) <= LIMIT else [*ids[: LIMIT - 1], end])

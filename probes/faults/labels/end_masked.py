from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, lacks_end, with_targets


@fault("the collator masks the end token along with the padding", "LAB006", lacks_end, SEQUENCES)
def end_masked(facts: Facts) -> Facts:
    end = facts["tokenizer"].eos_token_id
    return with_targets(facts, lambda labels: labels.masked_fill(labels == end, -100))

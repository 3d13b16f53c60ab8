from diagnose import fault
from probes.faults.kit.changes import THEIRS, Facts
from probes.faults.kit.generation_changes import set_generation


@fault(
    id="words_suppressed",
    description="suppress_tokens holds what the labels say last",
    probe_id="GEN002",
    is_present=lambda facts: len(getattr(facts["model"].generation_config, "suppress_tokens", None) or ()) > 3,
    applies_to=THEIRS,
)
def words_suppressed(facts: Facts) -> Facts:
    labels = facts["collate"]([facts["train_dataset"][number] for number in range(36)])["labels"]
    return set_generation(facts, suppress_tokens=sorted({row[row >= 0][-2].item() for row in labels}))

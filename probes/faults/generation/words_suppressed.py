from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts, collate_rows
from probes.faults.kit.generation_changes import set_generation


@fault(
    "suppress_tokens holds what the labels say last",
    "GEN002",
    lambda facts: len(getattr(facts["model"].generation_config, "suppress_tokens", None) or ()) > 3,
    HF_MODELS,
)
def words_suppressed(facts: Facts) -> Facts:
    labels = collate_rows(facts, *range(36))["labels"]
    return set_generation(facts, suppress_tokens=sorted({row[row >= 0][-2].item() for row in labels}))

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.model_parts import head_of
from probes.faults.kit.module_changes import with_optimizer


@fault(
    "the head, with the embedding that it shares, is frozen at its small random weights",
    "LRN004",
    lambda facts: (
        not head_of(facts).weight.requires_grad and any(weight.requires_grad for weight in facts["model"].parameters())
    ),
    ("whisper", "e2e"),
)
def head_frozen(facts: Facts) -> Facts:
    head_of(facts).requires_grad_(False)
    return with_optimizer(facts)

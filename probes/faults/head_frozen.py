from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.loss_changes import HEADS
from probes.faults.parts import with_optimizer


@fault(
    id="head_frozen",
    breaks="the head, with the embedding that it shares, is frozen at its small random weights",
    named_by="LRN004",
    proof=lambda facts: (
        not facts["model"].get_submodule(HEADS[type(facts["model"]).__name__]).weight.requires_grad
        and any(weight.requires_grad for weight in facts["model"].parameters())
    ),
    applies_to=("whisper", "e2e"),
)
def head_frozen(facts: Facts) -> Facts:
    model = facts["model"]
    model.get_submodule(HEADS[type(model).__name__]).requires_grad_(False)
    return with_optimizer(facts)

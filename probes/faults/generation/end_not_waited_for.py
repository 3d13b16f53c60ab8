from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.generation_changes import spoken

WORDS = 5


@fault(
    "the decoding loop waits for another token than the labels end with",
    "GEN004",
    lambda facts: spoken(facts, WORDS) > 3 * WORDS,
    ("hybrid",),
)
def end_not_waited_for(facts: Facts) -> Facts:
    if not hasattr(facts["model"], "say"):
        raise NotApplicable("its generation cannot be told to wait for another token")

    def waiting(model: Any, batch: Any) -> Any:
        return model.say(batch["feats"], batch["feat_lens"], end=len(facts["tokenizer"]) + 7)

    return {**facts, "generate": waiting}

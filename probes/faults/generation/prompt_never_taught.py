from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.generation_changes import generated


@fault(
    "generation begins with a token that the labels do not have",
    "GEN003",
    lambda facts: bool((generated(facts)[:, 0] == 9).all()),
    ("hybrid",),
)
def prompt_never_taught(facts: Facts) -> Facts:
    if not hasattr(facts["model"], "say"):
        raise NotApplicable("its generation is given the prompt of each row, not one for all")
    end = facts["tokenizer"].eos_token_id
    say = lambda model, batch: model.say(batch["feats"], batch["feat_lens"], end, prompt=(9,))  # noqa: E731
    return {**facts, "generate": say}

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.generation_changes import generated, set_generation, spoken

FEW = 6
WORDS = 16


@fault(
    "generation stops after five tokens, whatever the labels have",
    "GEN004",
    lambda facts: spoken(facts, WORDS) <= FEW,
    SEQUENCES,
)
def generation_limit_too_small(facts: Facts) -> Facts:
    """In the settings where they are obeyed."""
    if hasattr(facts["model"], "say"):
        end = facts["tokenizer"].eos_token_id
        return {**facts, "generate": lambda model, batch: model.say(batch["feats"], batch["feat_lens"], end, limit=FEW)}
    said = generated(set_generation(facts, max_length=FEW))
    if said is not None and said.shape[1] > FEW:
        raise NotApplicable("its generation does not take its limit from generation_config")
    return facts

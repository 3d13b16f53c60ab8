from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.generation_changes import generated, generation_setting_is, set_generation


@fault(
    "forced_bos_token_id is a token that no label begins with",
    "GEN002",
    generation_setting_is("forced_bos_token_id", 9),
    ("e2e", "mt5"),
)
def beginning_forced(facts: Facts) -> Facts:
    tokens = generated(set_generation(facts, forced_bos_token_id=9))
    if tokens is not None and 9 not in tokens[:, :2]:
        raise NotApplicable("its generation is given a prompt, behind which no beginning is forced")
    return facts

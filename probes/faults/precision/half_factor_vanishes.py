from diagnose import fault
from probes.faults.anatomy import head_of
from probes.faults.changes import Facts, hook_output
from probes.faults.half_births import GPU, PLAIN
from probes.faults.settings import with_fp16


@fault(
    id="half_factor_vanishes",
    breaks="scores are multiplied by 1 in float32 and by 8 in fp16, which rounds a small number away",
    named_by="PRE004",
    proof=lambda facts: facts.get("precision") == "fp16" and bool(head_of(facts)._forward_hooks),
    applies_to=PLAIN,
)
def half_factor_vanishes(facts: Facts) -> Facts:
    hook_output(head_of(facts), lambda scores: scores * (8 - 7 * ((scores.detach() * 0 + 1e-9) * 1e9)))
    return with_fp16(facts, *GPU)

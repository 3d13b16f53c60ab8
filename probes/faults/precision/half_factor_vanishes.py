from diagnose import fault
from probes.faults.kit.argument_changes import with_fp16
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import hook_output, last_hook
from probes.faults.kit.fp16_values import GPU, PLAIN
from probes.faults.kit.model_parts import head_of


def _otherwise_in_half(facts: Facts) -> bool:
    import torch

    change = last_hook(head_of(facts))
    if facts.get("precision") != "fp16" or change is None:
        return False
    return [round(float(change(torch.ones(1, dtype=kind)))) for kind in (torch.float32, torch.float16)] == [1, 8]


@fault(
    "scores are multiplied by 1 in float32 and by 8 in fp16, which rounds a small number away",
    "PRE004",
    _otherwise_in_half,
    PLAIN,
)
def half_factor_vanishes(facts: Facts) -> Facts:
    hook_output(head_of(facts), lambda scores: scores * (8 - 7 * ((scores.detach() * 0 + 1e-9) * 1e9)))
    return with_fp16(facts, *GPU)

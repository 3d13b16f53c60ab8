from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.fp16_values import PLAIN, has_scale, with_scale

SCALE = 2.0**-20


@fault(
    id="half_scale_too_low",
    breaks="the loss scale is fixed far too low",
    named_by="PRE003",
    proof=lambda facts: has_scale(facts, SCALE),
    applies_to=PLAIN,
)
def half_scale_too_low(facts: Facts) -> Facts:
    return with_scale(facts, SCALE)

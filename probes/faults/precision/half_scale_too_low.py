from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.fp16_values import PLAIN, has_scale, with_scale

SCALE = 2.0**-20


@fault("the loss scale is fixed far too low", "PRE003", lambda facts: has_scale(facts, SCALE), PLAIN)
def half_scale_too_low(facts: Facts) -> Facts:
    return with_scale(facts, SCALE)

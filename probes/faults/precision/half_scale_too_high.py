from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.fp16_values import PLAIN, has_scale, with_scale

SCALE = 2.0**30


@fault("the loss scale is fixed far too high", "PRE002", lambda facts: has_scale(facts, SCALE), PLAIN)
def half_scale_too_high(facts: Facts) -> Facts:
    return with_scale(facts, SCALE)

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.fp16_values import PLAIN, has_scale, with_scale

SCALE = 2.0**30


@fault(
    id="half_scale_too_high",
    description="the loss scale is fixed far too high",
    probe_id="PRE002",
    is_present=lambda facts: has_scale(facts, SCALE),
    applies_to=PLAIN,
)
def half_scale_too_high(facts: Facts) -> Facts:
    return with_scale(facts, SCALE)

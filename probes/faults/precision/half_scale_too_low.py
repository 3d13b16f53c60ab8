from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.fp16_values import PLAIN, has_scale, with_scale

SCALE = 2.0**-20


@fault(
    id="half_scale_too_low",
    description="the loss scale is fixed far too low",
    probe_id="PRE003",
    is_present=lambda facts: has_scale(facts, SCALE),
    applies_to=PLAIN,
)
def half_scale_too_low(facts: Facts) -> Facts:
    return with_scale(facts, SCALE)

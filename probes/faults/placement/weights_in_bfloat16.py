from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "the checkpoint's 16-bit type is kept for training",
    "PLC002",
    lambda facts: all("bfloat16" in str(one.dtype) for one in facts["model"].parameters()),
)
def weights_in_bfloat16(facts: Facts) -> Facts:
    facts["model"].bfloat16()
    return facts

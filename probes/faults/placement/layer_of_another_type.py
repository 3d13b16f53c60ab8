from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_linear, first_weight


@fault(
    "one layer of a stack is converted to bfloat16",
    "PLC003",
    lambda facts: "bfloat16" in str(first_weight(facts).dtype),
    ("mt5", "whisper"),
)
def layer_of_another_type(facts: Facts) -> Facts:
    first_linear(facts).bfloat16()
    return facts

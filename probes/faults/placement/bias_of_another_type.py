from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts


def _norm(facts: Facts) -> Any:
    """A module with weight and bias; mT5 has none, and gets one layer of another type."""
    parts = list(facts["model"].modules())
    return next((part for part in parts if getattr(part, "bias", None) is not None and hasattr(part, "weight")), None)


@fault(
    "a bias is float16 while its weight is float32",
    "PLC003",
    lambda facts: "float16" in str(_norm(facts).bias.dtype),
    ("whisper", "e2e", "hybrid", "classifier"),
)
def bias_of_another_type(facts: Facts) -> Facts:
    _norm(facts).bias.data = _norm(facts).bias.data.half()
    return facts

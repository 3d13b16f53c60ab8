from itertools import combinations
from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts


def _pair(facts: Facts) -> tuple[Any, Any]:
    """Two parameters of one shape, matrices before vectors."""
    every = sorted(facts["model"].parameters(), key=lambda one: -one.dim())
    return next((one, other) for one, other in combinations(every, 2) if one.shape == other.shape)


@fault(
    "two parameters are made to share their data instead of being one",
    "PAR012",
    lambda facts: _pair(facts)[0].data_ptr() == _pair(facts)[1].data_ptr(),
)
def tied_by_data(facts: Facts) -> Facts:
    one, other = _pair(facts)
    other.data = one.data
    return facts

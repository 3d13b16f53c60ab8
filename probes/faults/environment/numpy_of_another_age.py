from diagnose import fault
from probes.faults.changes import Facts


@fault(
    "numpy_of_another_age", "torch cannot take arrays of the numpy beside it", "ENV003", lambda f: "numpy_bridge" in f
)
def numpy_of_another_age(facts: Facts) -> Facts:
    from probes.measured.environment import Bridge

    return {
        **facts,
        "numpy_bridge": Bridge("2.3.0", "2.2.2", "torch.from_numpy", "RuntimeError: Numpy is not available"),
    }

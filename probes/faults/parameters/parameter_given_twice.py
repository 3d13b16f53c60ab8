from warnings import catch_warnings, simplefilter

from diagnose import fault
from probes.faults.kit.changes import Facts


def _twice(facts: Facts) -> bool:
    held = [id(one) for group in facts["optimizer"].param_groups for one in group["params"]]
    return len(held) > len(set(held))


@fault("the optimizer has the parameters of two overlapping modules", "PAR005", _twice)
def parameter_given_twice(facts: Facts) -> Facts:
    from torch.optim import AdamW

    every = list(facts["model"].parameters())
    with catch_warnings():
        simplefilter("ignore")  # torch warns, and goes on
        return {**facts, "optimizer": AdamW([*every, *every[:2]], lr=1e-3)}

from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import add_behind, with_optimizer
from probes.faults.parameters.batch_norm_in_frozen_part import _norm


def _asleep(facts: Facts) -> Any:
    found = [part for name, part in facts["model"].named_modules() if name.endswith("statistics.norm")]
    return bool(found) and not found[0].training and float(found[0].running_var.min()) > 1e6


@fault("a batch norm is left in evaluation mode with the variance of data that was never normalised", "LOS005", _asleep)
def batch_norm_of_other_data(facts: Facts) -> Facts:
    part = add_behind(facts, "statistics", _norm)
    facts["model"].train()
    part.norm.running_var.fill_(1e12)
    part.norm.num_batches_tracked.fill_(100)
    part.norm.eval()
    return with_optimizer(facts)

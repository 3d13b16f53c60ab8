from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import add_batch_norm, batch_norm_of, with_optimizer


def _is_in_evaluation(facts: Facts) -> bool:
    norm = batch_norm_of(facts)
    return norm is not None and not norm.training and float(norm.running_var.min()) > 1e6


@fault(
    "a batch norm is left in eval mode with the variance of unnormalized data",
    "LOS005",
    _is_in_evaluation,
)
def batch_norm_of_other_data(facts: Facts) -> Facts:
    norm = add_batch_norm(facts)
    facts["model"].train()
    norm.running_var.fill_(1e12)
    norm.num_batches_tracked.fill_(100)
    norm.eval()
    return with_optimizer(facts)

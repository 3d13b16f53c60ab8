from diagnose import fault
from probes.faults.kit.changes import Facts, batch_of
from probes.faults.kit.gradient_changes import at_update, norm_of, with_accumulated_step


def _adds_up(facts: Facts) -> bool:
    """Of one batch twice: the mean is as large as that of one, or, with other dropout, smaller."""
    batch = batch_of(facts)
    norms = [at_update(facts, [batch] * count, lambda: norm_of(facts)) for count in (1, 2)]
    return None not in norms and norms[1] > 1.3 * norms[0]


@fault("an accumulated step adds up the means of its batches and divides by nothing", "LOS013", _adds_up)
def accumulation_not_divided(facts: Facts) -> Facts:
    return with_accumulated_step(facts, lambda batches: 1.0)

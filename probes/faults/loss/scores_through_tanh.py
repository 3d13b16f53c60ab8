from diagnose import fault
from probes.faults.kit.changes import Facts, batch_of
from probes.faults.kit.loss_changes import after_head, scores_and_labels
from probes.faults.kit.model_parts import head_of


def _stay_small(facts: Facts) -> bool:
    """However large the head's weights are."""
    import torch

    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]), torch.no_grad():
        head_of(facts).weight.mul_(1000.0)
        return bool(scores_and_labels(facts["model"], batch_of(facts))[0].abs().max() <= 1)


@fault("a tanh stands after the head: scores stay between -1 and 1", "LOS010", _stay_small)
def scores_through_tanh(facts: Facts) -> Facts:
    return after_head(facts, lambda scores: scores.tanh())

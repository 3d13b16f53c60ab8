from diagnose import fault
from probes.faults.kit.changes import Facts, batch_of
from probes.faults.kit.loss_changes import after_head, scores_and_labels


def _are_probabilities(facts: Facts) -> bool:
    scores, _ = scores_and_labels(facts["model"], batch_of(facts))
    return bool(((scores.sum(-1) - 1).abs() < 1e-3).all())


@fault("the model ends in a softmax, and its loss is cross-entropy", "LOS008", _are_probabilities)
def softmax_in_head(facts: Facts) -> Facts:
    return after_head(facts, lambda scores: scores.softmax(-1))

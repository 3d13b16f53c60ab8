from typing import Any

from probes.faults.kit.loss_changes import flat, loss_fault


@loss_fault("the scores go through softmax before cross-entropy, which has one of its own", "LOS008")
def softmax_before_loss(scores: Any, labels: Any) -> Any:
    from torch.nn.functional import cross_entropy

    return cross_entropy(*flat(scores.softmax(-1), labels))

from typing import Any

from probes.faults.kit.changes import CLASSIFIER
from probes.faults.kit.loss_changes import loss_fault


@loss_fault("a column of outputs is subtracted from a row of labels: every row meets every label", "LOS012", CLASSIFIER)
def loss_broadcast(scores: Any, labels: Any) -> Any:
    return (scores[:, :1] - labels.float()).square().mean()

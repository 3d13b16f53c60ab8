from typing import Any

from probes.faults.kit.loss_changes import flat, loss_fault


@loss_fault("the negative log-likelihood is taken of raw scores", "LOS009")
def loss_without_log_softmax(scores: Any, labels: Any) -> Any:
    from torch.nn.functional import nll_loss

    return nll_loss(*flat(scores, labels))

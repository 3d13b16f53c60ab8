from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, without_facts
from probes.faults.kit.module_changes import add_behind, freeze_front, with_optimizer


def _norm(width: int) -> Any:
    from torch.nn import BatchNorm1d, Module

    class FeatureBatchNorm(Module):
        """Batch norm over the last axis."""

        def __init__(self) -> None:
            super().__init__()
            self.norm = BatchNorm1d(width)

        def forward(self, hidden: Any) -> Any:
            return self.norm(hidden.reshape(-1, width)).reshape(hidden.shape)

    return FeatureBatchNorm()


@fault(
    "a frozen front with batch norm stays in training mode",
    "PAR014",
    lambda facts: any("running" in name for name, _ in facts["model"].named_buffers() if "statistics" in name),
)
def batch_norm_in_frozen_part(facts: Facts) -> Facts:
    add_behind(facts, "statistics", _norm)
    freeze_front(facts)
    return without_facts(with_optimizer(facts), "fresh")

"""Subjects that have learnt their sentences by heart: what a random model says proves nothing."""

import time
from functools import cache
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, collate_rows, with_dataset
from probes.faults.kit.forward_changes import usual_loss

ENOUGH, MOST, RATE, ROWS, FEW = 0.02, 800, 4e-3, 8, 64
KNOWS, PATIENCE = 0.1, 40  # a start that no input tells (which of two tasks) leaves a loss that falls no more
SECONDS = 90.0  # of work: what has not learnt eight rows by then is not made for a drill


def memorized(facts: Facts) -> Facts:
    """The model with weights that have read the first sentences again and again; learnt once for each kind."""
    facts = with_few_rows(facts)
    facts["model"].load_state_dict(_trained_weights(_ModelKind(facts)))
    return facts


def with_few_rows(facts: Facts) -> Facts:
    """The facts with no more rows than can be learnt by heart in a while."""
    from torch.utils.data import Subset

    if len(facts["train_dataset"]) <= FEW:
        return facts
    return with_dataset(facts, Subset(facts["train_dataset"], range(ROWS // 2)))


class _ModelKind:
    """Facts that count as the same when their models are of one class."""

    def __init__(self, facts: Facts) -> None:
        self.facts, self.kind = facts, type(facts["model"]).__name__

    def __hash__(self) -> int:
        return hash(self.kind)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ModelKind) and other.kind == self.kind


@cache
def _trained_weights(kind: _ModelKind) -> dict[str, Any]:
    import torch

    from probes.facts.core.observer import restore_afterwards

    facts, loss = kind.facts, usual_loss(kind.facts)
    model = facts["model"]
    with restore_afterwards(model), torch.enable_grad():
        torch.manual_seed(0)
        model.eval()  # no dropout, no dropped layer: it is to know them by heart
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
        dataset = facts["train_dataset"]
        parts = [range(start, min(start + ROWS, len(dataset))) for start in range(0, len(dataset), ROWS)]
        batches = [collate_rows(facts, *part) for part in parts]
        started = time.process_time()
        worst, best, since = [float("inf")] * len(batches), float("inf"), 0
        for step in range(MOST):
            optimizer.zero_grad()
            now = loss(model, dict(batches[step % len(batches)]))
            now.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            worst[step % len(batches)] = float(now.detach())
            if max(worst) < 0.95 * best:
                best, since = max(worst), step
            if max(worst) < ENOUGH or (best < KNOWS and step - since > PATIENCE * len(batches)):
                break
            if time.process_time() - started > SECONDS:
                raise NotApplicable(f"it does not learn {len(dataset)} rows within {SECONDS:.0f} s")
        return {name: value.detach().clone() for name, value in model.state_dict().items()}

from collections.abc import Sequence
from typing import Any

from diagnose import fault
from probes.faults.changes import Facts, usual_loss


@fault(
    id="accumulation_not_divided",
    breaks="an accumulated step adds up the means of its batches and divides by nothing",
    named_by="LOS013",
    proof=lambda facts: "accumulated_step" in facts,
)
def accumulation_not_divided(facts: Facts) -> Facts:
    usual, model, optimizer = usual_loss(facts), facts["model"], facts["optimizer"]

    def accumulated_step(batches: Sequence[Any]) -> None:
        model.train()
        for batch in batches:
            usual(model, batch).backward()
        optimizer.step()
        optimizer.zero_grad()

    return {**facts, "accumulated_step": accumulated_step}

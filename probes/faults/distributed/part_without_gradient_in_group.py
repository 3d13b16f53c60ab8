from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import ask_each_rank, change_each_rank, first_batch, wrapped


def _step_stops(facts: Facts) -> bool:
    return all("finished reduction" in said for said in ask_each_rank(facts, lambda scene, rank: _said(scene)))


def _said(scene: Any) -> str:
    from probes.facts.distributed.rank_steps import steps_of

    try:
        steps_of(scene, [first_batch(scene)])
    except RuntimeError as error:
        return str(error)
    return ""


@fault("the model has a part that the loss does not use, and the wrapper waits for its gradient", "DST004", _step_stops)
def part_without_gradient_in_group(facts: Facts) -> Facts:
    def waiting(scene: Any, rank: int, processes: int) -> Facts:
        import torch

        scene.inner.register_parameter("spare", torch.nn.Parameter(torch.ones(2)))
        model = wrapped(scene.inner, find_unused_parameters=False)
        found = {**scene.single_facts(), "model": model}
        found.pop("training_step", None)
        return {**found, "optimizer": torch.optim.AdamW(model.parameters(), lr=1e-3)}

    return change_each_rank(facts, waiting)

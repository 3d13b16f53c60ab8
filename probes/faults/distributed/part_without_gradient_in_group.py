from typing import Any

from diagnose import fault
from probes.faults.kit.change_faults import raises
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import change_each_rank, facts_with_model, first_batch, run_each_rank, wrap


def _step_stops(facts: Facts) -> bool:
    from probes.facts.distributed.rank_steps import steps_of

    def stops(setup: Any, rank: int) -> bool:
        batch = first_batch(setup)
        return raises(lambda: steps_of(setup, [batch]), RuntimeError, "finished reduction")

    return all(run_each_rank(facts, stops))


@fault("the model has a part that the loss does not use, and the wrapper waits for its gradient", "DST004", _step_stops)
def part_without_gradient_in_group(facts: Facts) -> Facts:
    def change(setup: Any, rank: int, processes: int) -> Facts:
        import torch

        setup.inner.register_parameter("spare", torch.nn.Parameter(torch.ones(2)))
        return facts_with_model(setup, wrap(setup.inner, find_unused_parameters=False))

    return change_each_rank(facts, change)

from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.change_faults import raises
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.rank_changes import change_each_rank, first_batch, run_each_rank


def _evaluation_stops(facts: Facts) -> bool:
    """Whether a process of a group does not come back from it."""
    from probes.facts.distributed.ranks import evaluate

    def look(setup: Any, rank: int) -> Any:
        return evaluate(setup, rank) if setup.evaluate else None

    return raises(lambda: run_each_rank(facts, look), RuntimeError, "returned nothing")


def _generate(setup: Any) -> Any:
    import torch

    setup.inner.eval()
    with torch.no_grad():
        return setup.generate(setup.inner, first_batch(setup)).contiguous()


def _length(setup: Any, rank: int) -> int:
    """The length of what it generates, where every process is made to generate another number of tokens."""
    from probes.facts.distributed.ranks import evaluate

    lengths: list[int] = []
    setup.evaluate = lambda: lengths.append(_generate(setup).shape[1])
    evaluate(setup, rank)
    return lengths[0]


@fault(
    "predictions are gathered as they are, of another length in each process", "DST005", _evaluation_stops, SEQUENCES
)
def predictions_gathered_ragged(facts: Facts) -> Facts:
    if "generate" not in facts:
        raise NotApplicable("its evaluation does not generate")
    if len(set(run_each_rank(change_each_rank(facts, lambda setup, *_: setup.single_facts()), _length))) == 1:
        raise NotApplicable("its generation fills all texts up to one length")

    def change(setup: Any, rank: int, processes: int) -> Facts:
        import torch
        import torch.distributed as dist

        def evaluate() -> dict[str, float]:
            tokens = _generate(setup)
            gathered = [torch.empty_like(tokens) for _ in range(processes)]
            dist.all_gather(gathered, tokens)
            return {"tokens": float(sum(ids.numel() for ids in gathered))}

        return {**setup.single_facts(), "evaluate": evaluate}

    return change_each_rank(facts, change)

from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.rank_changes import ask_each_rank, change_each_rank, first_batch


def _evaluation_stops(facts: Facts) -> bool:
    """Whether a process of a group does not come back from it."""
    from probes.facts.distributed.ranks import evaluate

    try:
        ask_each_rank(facts, lambda scene, rank: evaluate(scene, rank) if scene.evaluate else None)
    except RuntimeError as error:
        return "gave no answer" in str(error)
    return False


def _said_to_first(scene: Any) -> Any:
    import torch

    scene.inner.eval()
    with torch.no_grad():
        return scene.generate(scene.inner, first_batch(scene)).contiguous()


def _length(scene: Any, rank: int) -> int:
    """Of what it generates, when every process is made to say another number of tokens."""
    from probes.facts.distributed.ranks import evaluate

    said: list[int] = []
    scene.evaluate = lambda: said.append(_said_to_first(scene).shape[1])
    evaluate(scene, rank)
    return said[0]


@fault(
    "predictions are gathered as they are, of another length in each process", "DST005", _evaluation_stops, SEQUENCES
)
def predictions_gathered_ragged(facts: Facts) -> Facts:
    if "generate" not in facts:
        raise NotApplicable("its evaluation does not generate")
    if len(set(ask_each_rank(change_each_rank(facts, lambda scene, *_: scene.single_facts()), _length))) == 1:
        raise NotApplicable("its generation fills all texts up to one length")

    def ragged(scene: Any, rank: int, processes: int) -> Facts:
        import torch
        import torch.distributed as dist

        def evaluate() -> dict[str, float]:
            said = _said_to_first(scene)
            found = [torch.empty_like(said) for _ in range(processes)]
            dist.all_gather(found, said)
            return {"tokens": float(sum(ids.numel() for ids in found))}

        return {**scene.single_facts(), "evaluate": evaluate}

    return change_each_rank(facts, ragged)

from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.forward_changes import hook_output, last_hook
from probes.faults.kit.model_parts import query_of

LARGE = 1e6  # deviation of the queries: whatever the keys are like, scores are far apart, and still finite


def _multiplied(facts: Facts) -> bool:
    import torch

    change = last_hook(query_of(facts))
    return change is not None and float(change(torch.linspace(-1, 1, 8)).std()) > LARGE / 2


@fault(
    "queries are multiplied, so that attention's softmax puts all weight on one position",
    "GRD009",
    _multiplied,
    HF_MODELS,
)
def scores_not_scaled(facts: Facts) -> Facts:
    hook_output(query_of(facts), lambda hidden: hidden * (LARGE / float(hidden.detach().float().std())))
    return facts

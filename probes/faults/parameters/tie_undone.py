from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.module_changes import with_optimizer


def _is_untied(facts: Facts) -> bool:
    get = facts["model"].get_parameter
    return any(get(name) is not get(other) for name, other in facts["model"].all_tied_weights_keys.items())


@fault(
    "the head gets a tensor of its own while the configuration ties it",
    "PAR013",
    _is_untied,
    HF_MODELS,
)
def tie_undone(facts: Facts) -> Facts:
    import torch

    name = next(name for name in facts["model"].all_tied_weights_keys if "embed" not in name)
    head = facts["model"].get_submodule(name.rpartition(".")[0])
    head.weight = torch.nn.Parameter(head.weight.detach().clone())
    return with_optimizer(facts)

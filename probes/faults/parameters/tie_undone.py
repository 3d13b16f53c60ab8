from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import with_optimizer


def _apart(facts: Facts) -> bool:
    pairs = facts["model"].all_tied_weights_keys.items()
    return any(facts["model"].get_parameter(a) is not facts["model"].get_parameter(b) for a, b in pairs)


@fault("the head gets a tensor of its own while the configuration ties it", "PAR013", _apart, ("whisper", "e2e", "mt5"))
def tie_undone(facts: Facts) -> Facts:
    import torch

    head = next(name for name in facts["model"].all_tied_weights_keys if "embed" not in name)
    held = facts["model"].get_submodule(head.rpartition(".")[0])
    held.weight = torch.nn.Parameter(held.weight.detach().clone())
    return with_optimizer(facts)

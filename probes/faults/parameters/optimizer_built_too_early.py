from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import untied


def _left_out(facts: Facts) -> bool:
    held = {id(parameter) for group in facts["optimizer"].param_groups for parameter in group["params"]}
    return any(id(one) not in held for one in facts["model"].parameters() if one.requires_grad)


@fault("a layer is replaced after the optimizer was created", "PAR002", _left_out)
def optimizer_built_too_early(facts: Facts) -> Facts:
    import torch

    largest = max(untied(facts, facts["model"]), key=lambda parameter: parameter.numel())
    name, weight = next((n, p) for n, p in facts["model"].named_parameters() if p is largest)
    holder, _, last = name.rpartition(".")
    setattr(facts["model"].get_submodule(holder), last, torch.nn.Parameter(weight.detach().clone()))
    return facts

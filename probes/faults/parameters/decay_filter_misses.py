from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "a filter for norms and biases misses one of them, which stays under weight decay",
    "PAR011",
    lambda facts: [group["weight_decay"] for group in facts["optimizer"].param_groups] == [0.01, 0.0],
)
def decay_filter_misses(facts: Facts) -> Facts:
    from torch.optim import AdamW

    from probes.facts.core.model_parts import holder_of
    from probes.facts.parameters.parameter_table import role_of

    model = facts["model"]
    trained = {name: value for name, value in model.named_parameters() if value.requires_grad}
    roles = [name for name, value in trained.items() if role_of(holder_of(model, name), name, value)]
    free = set(roles[1:])
    groups = [
        {"params": [value for name, value in trained.items() if name not in free], "weight_decay": 0.01},
        {"params": [trained[name] for name in roles[1:]], "weight_decay": 0.0},
    ]
    return {**facts, "optimizer": AdamW(groups, lr=1e-3)}

from diagnose import fault
from probes.faults.kit.changes import TORCH_MODELS, Facts


@fault(
    "a layer that trains is kept in a plain list, where no state dict finds it",
    "GEN019",
    lambda facts: hasattr(facts["model"], "extra_layers"),
    TORCH_MODELS,
)
def layer_kept_in_a_list(facts: Facts) -> Facts:
    from torch import nn

    model = facts["model"]
    head = [module for module in model.modules() if isinstance(module, nn.Linear)][-1]
    layer = nn.Linear(head.in_features, head.in_features)
    object.__setattr__(model, "extra_layers", [layer])
    head.register_forward_pre_hook(lambda module, inputs: (inputs[0] + layer(inputs[0]), *inputs[1:]))
    facts["optimizer"].add_param_group({"params": list(layer.parameters())})
    return facts

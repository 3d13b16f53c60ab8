"""Faults that show when a model is saved and read again."""

import threading
from typing import Any

from diagnose import fault
from probes.faults.changes import Facts

PLAIN = ("hybrid", "classifier")
THEIRS = ("whisper", "e2e", "mt5")


@fault(
    id="settings_refused_on_saving",
    breaks="a temperature without sampling stands in generation_config, which cannot be saved so",
    named_by="GEN018",
    proof=lambda facts: facts["model"].generation_config.temperature == 0.3,
    applies_to=THEIRS,
)
def settings_refused_on_saving(facts: Facts) -> Facts:
    facts["model"].generation_config.temperature = 0.3
    return facts


@fault(
    id="state_that_cannot_be_written",
    breaks="the model's state holds a lock, which no file can hold",
    named_by="GEN018",
    proof=lambda facts: "_extra_state" in facts["model"].state_dict(),
    applies_to=PLAIN,
)
def state_that_cannot_be_written(facts: Facts) -> Facts:
    kind, lock = type(facts["model"]), threading.Lock()
    state = {"get_extra_state": lambda self: lock, "set_extra_state": lambda self, state: None}
    facts["model"].__class__ = type(kind.__name__, (kind,), state)
    return facts


@fault(
    id="part_replaced_by_hand",
    breaks="a layer's activation is another than the configuration says: whoever reads the files gets the other",
    named_by="GEN019",
    proof=lambda facts: any(type(module).__name__ == "Steep" for module in facts["model"].modules()),
    applies_to=THEIRS,
)
def part_replaced_by_hand(facts: Facts) -> Facts:
    from torch import Tensor, nn

    class Steep(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return 30 * x

    model: Any = facts["model"]
    for module in model.get_decoder().modules():
        if hasattr(module, "dropout") and isinstance(module.dropout, nn.Dropout):
            module.dropout = Steep()
            return facts
    holder = (getattr(model, "model", None) or getattr(model.decoder, "model", model)).decoder
    for layer in holder.layers:
        layer.activation_fn = Steep()
    return facts


@fault(
    id="layer_kept_in_a_list",
    breaks="a layer that trains is kept in a plain list, where no state dict finds it",
    named_by="GEN019",
    proof=lambda facts: hasattr(facts["model"], "extra_layers"),
    applies_to=PLAIN,
)
def layer_kept_in_a_list(facts: Facts) -> Facts:
    from torch import nn

    model = facts["model"]
    head = [module for module in model.modules() if isinstance(module, nn.Linear)][-1]
    layer = nn.Linear(head.in_features, head.in_features)
    object.__setattr__(model, "extra_layers", [layer])
    head.register_forward_pre_hook(lambda module, given: (given[0] + layer(given[0]), *given[1:]))
    facts["optimizer"].add_param_group({"params": list(layer.parameters())})
    return facts
